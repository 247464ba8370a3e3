// Events for the tests of conversations: unsigned, because what is tested trusts what main hands over.

import { createHash } from 'node:crypto';
import type { JobView } from '../../../main/contract/jobs.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { KIND } from '../../../relay/protocol/kinds.ts';

export const hex = (text: string): string => createHash('sha256').update(text).digest('hex');

export const anna = hex('anna');
export const robin = hex('robin');
export const demo = hex('demo');

let made = 0;

/** An event of the room `general` at that second. */
export function event(
  author: string,
  kind: number,
  at: number,
  tags: string[][] = [],
  content = '',
): NostrEvent {
  made += 1;
  return {
    id: hex(`event ${made}`),
    pubkey: author,
    created_at: at,
    kind,
    tags: [['h', 'general'], ...tags],
    content,
    sig: '',
  };
}

export function message(author: string, at: number, content = 'words', tags: string[][] = []): NostrEvent {
  return event(author, KIND.chat, at, tags, content);
}

export function answerTo(root: NostrEvent, author: string, at: number): NostrEvent {
  return message(author, at, 'an answer', [['e', root.id, '', 'root']]);
}

export function job(at: number, more: Partial<JobView> = {}): JobView {
  const request = event(demo, KIND.jobRequest, at);
  return {
    id: request.id,
    room: 'general',
    requester: demo,
    assignees: [demo],
    content: 'do it',
    created_at: at,
    state: 'open',
    status: 'queued',
    event: request,
    ...more,
  };
}
