// The events that answer a request (seed "The answer", spec/interactions-and-approvals.md sections 3 to 5).

import { answerContent, parseAnswer, parseInteraction } from '../../relay/protocol/interaction.ts';
import { KIND } from '../../relay/protocol/kinds.ts';
import type { ApprovalView } from '../contract/approvals.ts';
import type { Draft } from '../relay-link.ts';

/** What a reaction has to know of the request it answers. */
export type Reacted = Pick<ApprovalView, 'id' | 'kind' | 'asker' | 'room' | 'created_at'>;

/** The reaction that approves or denies. */
export function reactionTo(view: Reacted, decision: 'approve' | 'deny'): Draft {
  const tags = [
    ...(view.room === undefined ? [] : [['h', view.room]]),
    ['e', view.id, '', view.asker],
    ['p', view.asker],
    ['k', String(view.kind)],
  ];
  const content = decision === 'approve' ? '+' : '-';
  return { kind: KIND.reaction, created_at: notBefore(view), tags, content };
}

/** A reply with the whole NIP-22 reference set. */
export function replyTo(view: ApprovalView, content: string): Draft {
  const kind = String(view.kind);
  const tags = [
    ...(view.room === undefined ? [] : [['h', view.room]]),
    ['E', view.id, '', view.asker],
    ['K', kind],
    ['P', view.asker],
    ['e', view.id, '', view.asker],
    ['k', kind],
    ['p', view.asker],
  ];
  return { kind: KIND.comment, created_at: notBefore(view), tags, content };
}

/** The answer to a native card; null when the relay would not take it as one. */
export function cardAnswer(view: ApprovalView, choices: string[], text: string): Draft | null {
  const card = parseInteraction(view.event);
  if (!card.ok) return null;
  const content = answerContent(card.value, { choices, text });
  const read = parseAnswer(card.value, content);
  // What the relay will read must be all that the person chose, not only what its form had room for.
  const whole = read !== null && read.choices.length === choices.length;
  return whole ? replyTo(view, content) : null;
}

/** An answer counts only when it is not older than its request, whose author's clock may be ahead of ours. */
function notBefore(view: Pick<ApprovalView, 'created_at'>): number {
  return Math.max(Math.floor(Date.now() / 1000), view.created_at);
}

/** The reviewed replacement of a grant, exactly as the relay wrote it; null when there is none to sign. */
export function grantFor(view: ApprovalView): Draft | null {
  if (!view.grant) return null;
  const { kind, created_at, tags, content } = view.grant.unsigned;
  return { kind, created_at, tags, content };
}
