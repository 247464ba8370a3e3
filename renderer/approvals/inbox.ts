// The inbox in order: what waits, newest first, then history by the day of its end. Also what a card may offer:
// which buttons, and why there is no Approve.

import type { ApprovalView } from '../../main/contract/approvals.ts';

export type Inbox = { waiting: ApprovalView[]; history: ApprovalView[] };

/** Splits and orders; an open item whose time is over by `now` (seconds) counts as expired already. */
export function inbox(items: readonly ApprovalView[], now: number): Inbox {
  const waiting: ApprovalView[] = [];
  const history: ApprovalView[] = [];
  for (const item of items) (stateAt(item, now) === 'open' ? waiting : history).push(item);
  waiting.sort((a, b) => b.created_at - a.created_at || a.id.localeCompare(b.id));
  history.sort((a, b) => settledAt(b) - settledAt(a) || a.id.localeCompare(b.id));
  return { waiting, history };
}

/** The state a person should see now: an open item past its end is expired even before main says so. */
export function stateAt(item: Pick<ApprovalView, 'state' | 'expires'>, now: number): ApprovalView['state'] {
  if (item.state === 'open' && item.expires !== undefined && item.expires <= now) return 'expired';
  return item.state;
}

/** When it stopped waiting, in Unix seconds; for a withdrawn one, whose end nobody noted, when it was asked. */
export function settledAt(item: Pick<ApprovalView, 'answer' | 'expires' | 'created_at' | 'state'>): number {
  if (item.answer !== undefined) return item.answer.created_at;
  return item.state === 'withdrawn' ? item.created_at : (item.expires ?? item.created_at);
}

/** What the agent then did, unless the reason already says the same. */
export function outcomeOf(item: Pick<ApprovalView, 'outcome' | 'reason'>): string | null {
  return item.outcome === undefined || item.outcome === item.reason ? null : item.outcome;
}

/** Takes a changed view into a list held by the page; a new one is added. */
export function withChanged(items: readonly ApprovalView[], changed: ApprovalView): ApprovalView[] {
  const known = items.some(item => item.id === changed.id);
  return known ? items.map(item => (item.id === changed.id ? changed : item)) : [changed, ...items];
}

/** Whether "Ask again" would do something: its job can be run again, or its agent be written to in their room. */
export function mayAskAgain(
  item: Pick<ApprovalView, 'job' | 'room' | 'again'>,
  state: ApprovalView['state'],
): boolean {
  if (item.again !== undefined || (state !== 'expired' && state !== 'withdrawn')) return false;
  return item.job !== undefined || (state === 'expired' && item.room !== undefined);
}

export type CardOffer = {
  approve: boolean;
  deny: boolean;
  reply: boolean;
  /** Approving signs a grant rather than giving an answer. */
  sign: boolean;
  /** A native card: its form takes the place of the buttons. */
  form: boolean;
  /** Why there is no Approve button although it is asked for. */
  withheld: string | null;
};

const NOTHING: CardOffer = {
  approve: false,
  deny: false,
  reply: false,
  sign: false,
  form: false,
  withheld: null,
};

export function offerOf(item: ApprovalView, now: number): CardOffer {
  if (stateAt(item, now) !== 'open') return NOTHING;
  if (item.selection !== undefined) return { ...NOTHING, form: true };
  if (item.type === 'question') return { ...NOTHING, reply: true };
  if (item.type === 'grant') {
    return {
      ...NOTHING,
      approve: item.complete && item.grant !== undefined && item.grantError === undefined,
      deny: true,
      sign: true,
      withheld: item.grantError ?? (item.complete ? null : WITHHELD),
    };
  }
  const proposal = item.type === 'wiki-proposal' || item.type === 'wiki-merge';
  return {
    approve: item.complete,
    deny: true,
    reply: !proposal,
    sign: false,
    form: false,
    withheld: item.complete ? null : WITHHELD,
  };
}

/** Others that wait and ask for the same kind of action by the same agent; only what a plain yes may answer. */
export function matching(items: readonly ApprovalView[], item: ApprovalView, now: number): ApprovalView[] {
  const plain = (each: ApprovalView) => {
    const offer = offerOf(each, now);
    return offer.approve && !offer.sign;
  };
  if (!plain(item)) return [];
  return items.filter(
    other =>
      other.id !== item.id &&
      other.asker === item.asker &&
      other.type === item.type &&
      other.action?.tool === item.action?.tool &&
      (other.action === undefined) === (item.action === undefined) &&
      plain(other),
  );
}

const WITHHELD =
  'The request does not hold the whole action, so it cannot be approved here. Deny it, or reply and ask for all of it.';

/** First lines of a request without a subject, for its title. */
export function titleOf(item: Pick<ApprovalView, 'subject' | 'content' | 'type'>): string {
  const subject = item.subject.trim();
  if (subject !== '') return subject;
  // Its reason stands below, as why.
  if (item.type === 'grant') return 'Asks for more access';
  const line =
    item.content
      .split('\n')
      .find(candidate => candidate.trim() !== '')
      ?.trim() ?? '';
  if (line !== '') return [...line].length > 120 ? `${[...line].slice(0, 119).join('')}…` : line;
  return 'A request without text';
}

/** The neighbour `J` and `K` go to, or null at the end. */
export function neighbour(ids: readonly string[], from: string | null, step: 1 | -1): string | null {
  if (ids.length === 0) return null;
  const index = from === null ? -1 : ids.indexOf(from);
  if (index === -1) return ids[step === 1 ? 0 : ids.length - 1] ?? null;
  return ids[index + step] ?? null;
}
