// Which happenings become a banner, with the words and buttons of spec/interactions-and-approvals.md section 6.
// Whether it is then shown is decided in notices.ts.

import type { NostrEvent } from '../relay/protocol/event.ts';
import { KIND, MESSAGE_KINDS } from '../relay/protocol/kinds.ts';
import { rootReference, tagValue, tagValues } from '../relay/protocol/tags.ts';
import type { AgentView } from './contract/agents.ts';
import type { ProcessState } from './contract/app.ts';
import type { ApprovalView } from './contract/approvals.ts';
import type { JobView } from './contract/jobs.ts';
import type { Banner } from './contract/notices.ts';

const EXCERPT_BYTES = 120;

export type Names = { owner: string; nameOf(pubkey: string): string };

/** The banner of a request that waits, or null for one that is to wake nobody. */
export function approvalBanner(view: ApprovalView, { owner, nameOf }: Names): Banner | null {
  const native = tagValue(view.event, 'tinyagent') !== undefined;
  if (native && !tagValues(view.event, 'mention').includes(owner)) return null;
  const text = excerpt(view.subject || view.content);
  const body = view.type === 'grant' ? `requests an access change: ${text}` : text;
  return {
    tag: `approval-${view.id}`,
    category: 'approvals',
    title: `${nameOf(view.asker)} asks`,
    body,
    address: `#/approvals/${view.id}`,
    actions: approvalActions(view),
    approval: view.id,
  };
}

function approvalActions(view: ApprovalView): Banner['actions'] {
  const reply = { action: 'reply' as const, title: 'Reply' };
  if (view.type === 'grant' || view.selection !== undefined) return [];
  if (view.type === 'question') return [reply];
  const deny = { action: 'deny' as const, title: 'Deny' };
  // What is not whole cannot be approved, from nowhere.
  return view.complete ? [{ action: 'approve', title: 'Approve' }, deny, reply] : [deny, reply];
}

/** The banner of a job the owner asked for that has ended, or null. */
export function jobBanner(job: JobView, event: NostrEvent, { owner }: Names): Banner | null {
  const ended = event.kind === KIND.jobResult || event.kind === KIND.jobError;
  if (!ended || job.requester !== owner || event.pubkey === owner) return null;
  const word = event.kind === KIND.jobResult ? 'done' : 'failed';
  return {
    tag: `job-${job.id}`,
    category: 'mentions',
    title: `task ${job.subject || job.id.slice(0, 8)} ${word}`,
    body: excerpt(event.content),
    address: `#/jobs/${job.id}`,
    actions: [],
  };
}

/** The banner of a message that answers or mentions the owner, or null. `mine` tells ids of the owner's events. */
export function messageBanner(
  event: NostrEvent,
  { owner, nameOf }: Names,
  mine: (id: string) => boolean,
): Banner | null {
  const room = tagValue(event, 'h');
  if (room === undefined || !MESSAGE_KINDS.includes(event.kind) || event.pubkey === owner) return null;
  if (!tagValues(event, 'p').includes(owner) || tagValue(event, 'request') !== undefined) return null;
  const isReply = tagValues(event, 'e').some(mine);
  const root = rootReference(event);
  return {
    tag: `${isReply ? 'replies' : 'mentions'}-${room}`,
    category: isReply ? 'replies' : 'mentions',
    title: `${nameOf(event.pubkey)} ${isReply ? 'replied to you' : 'mentioned you'} in ${room}`,
    body: excerpt(event.content),
    address: root === undefined ? `#/rooms/${room}` : `#/rooms/${room}/${root}`,
    actions: [],
  };
}

/** The banner of an agent that was given up on: a person has to act. Null in every other state. */
export function agentBanner(view: AgentView): Banner | null {
  if (view.state !== 'suspended') return null;
  return {
    tag: `agent-${view.pubkey}`,
    category: 'relay',
    title: `${view.name} needs you`,
    body: excerpt(view.reason ?? 'It was suspended'),
    address: `#/agents/${view.pubkey}`,
    actions: [],
  };
}

/** The banner of a relay that was given up on: nothing works until a person acts. Null in every other state. */
export function relayBanner({ state, reason }: ProcessState): Banner | null {
  if (state !== 'suspended') return null;
  const body = excerpt(reason ?? 'It was suspended');
  return {
    tag: 'relay',
    category: 'relay',
    title: 'The relay stopped',
    body,
    address: '#/health',
    actions: [],
  };
}

/** One line of at most 120 bytes. */
export function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (Buffer.byteLength(line) <= EXCERPT_BYTES) return line;
  let cut = '';
  let size = 0;
  for (const character of line) {
    size += Buffer.byteLength(character);
    if (size > EXCERPT_BYTES) break;
    cut += character;
  }
  return `${cut}…`;
}
