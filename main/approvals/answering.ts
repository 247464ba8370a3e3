// Giving an answer, once: the first press is final, a second one joins it while it is on its way, and whoever comes
// later is told by whom and when (cases D15 D21 E8 F-55).

import { CallFailure } from '../bridge.ts';
import type { ApprovalView } from '../contract/approvals.ts';
import type { Draft, RelayLink } from '../relay-link.ts';
import { grantFor, reactionTo } from './answer-drafts.ts';
import type { From, Inbox } from './inbox.ts';

export type AnsweringParts = {
  link: RelayLink;
  inbox: Inbox;
  nameOf(pubkey: string): string;
};

/** One press: what it says, whether that decides, where it was made, and the event it becomes. */
export type Press = { what: string; decides?: boolean; from: From; draft(view: ApprovalView): Draft };

export class Answering {
  readonly #parts: AnsweringParts;
  /** Answers on their way, by request: a second press joins or loses, it never becomes a second event. */
  readonly #underWay = new Map<string, { what: string; done: Promise<ApprovalView> }>();

  constructor(parts: AnsweringParts) {
    this.#parts = parts;
  }

  /** Answers the request as it then is. Throws CallFailure `conflict` when somebody or something was first. */
  answer(id: string, press: Press): Promise<ApprovalView> {
    const earlier = this.#underWay.get(id);
    if (earlier?.what === press.what) return earlier.done;
    const done = this.#after(earlier?.done, () => this.#publish(id, press));
    const entry = { what: press.what, done };
    this.#underWay.set(id, entry);
    const clear = () => {
      if (this.#underWay.get(id) === entry) this.#underWay.delete(id);
    };
    done.then(clear, clear);
    return done;
  }

  /** A different press while the first is on its way waits for it: by then there is an answer to be told of. */
  async #after<T>(earlier: Promise<unknown> | undefined, task: () => Promise<T>): Promise<T> {
    await earlier?.catch(() => {
      // The first press failed, which its own caller hears; the second may try.
    });
    return task();
  }

  async #publish(id: string, press: Press): Promise<ApprovalView> {
    const { link, inbox } = this.#parts;
    const event = await link.publish(press.draft(await this.#answerable(id, press)));
    inbox.given(event.id, { from: press.from });
    const now = await inbox.read(id);
    if (!now) throw new CallFailure('not-found', 'The request went away while it was being answered.');
    return now;
  }

  async #answerable(id: string, press: Press): Promise<ApprovalView> {
    const view = await this.#parts.inbox.read(id);
    if (!view) throw new CallFailure('not-found', 'There is no such request. It may have been removed.');
    if (view.state === 'open') return view;
    // Words are an answer until somebody decides (seed "The answer").
    const undecided = view.answer?.decision === 'replied' && view.selection === undefined;
    if (press.decides && undecided && view.type !== 'question') return view;
    throw new CallFailure('conflict', this.#settledWords(view));
  }

  /** Why it can no longer be answered: who was first and when, or what became of it. */
  #settledWords({ answer, state, reason = 'its time is over' }: ApprovalView): string {
    if (!answer) return state === 'expired' ? `It expired: ${reason}.` : `It was withdrawn: ${reason}.`;
    const { author, decision, created_at, from } = answer;
    const who = author === this.#parts.link.owner ? 'you' : this.#parts.nameOf(author);
    const verb = decision === 'replied' ? 'Answered' : decision === 'approved' ? 'Approved' : 'Denied';
    const where = from === undefined || from === 'rule' ? '' : ` from the ${from}`;
    return `${verb} by ${who} at ${new Date(created_at * 1000).toLocaleTimeString('en-GB')}${where}.`;
  }
}

/** The event of a decision. Throws CallFailure `invalid` for a request that is not decided by yes or no. */
export function decisionDraft(view: ApprovalView, decision: 'approve' | 'deny'): Draft {
  if (view.selection !== undefined) {
    throw new CallFailure('invalid', 'This card is answered by choosing one of its options.');
  }
  if (view.type === 'question') throw new CallFailure('invalid', 'A question is answered in words.');
  if (decision === 'deny') return reactionTo(view, 'deny');
  if (!view.complete) {
    throw new CallFailure('invalid', 'The whole action is not here to be read, so it cannot be approved.');
  }
  if (view.type !== 'grant') return reactionTo(view, 'approve');
  const grant = grantFor(view);
  if (!grant) throw new CallFailure('conflict', view.grantError ?? 'There is no reviewed grant to sign.');
  return grant;
}
