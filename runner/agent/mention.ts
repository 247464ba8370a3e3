// What counts as asking the agent: mentions in its rooms (kinds 9, 11, 12) and job requests that name it (43001);
// spec/tinyagent-connector.md B2 and spec/decisions.md 9. And what counts as telling it to stop.

import type { Filter, NostrEvent } from '../../relay/protocol/event.ts';
import { KIND } from '../../relay/protocol/kinds.ts';
import { expirationOf, isHex64, rootReference, tagValue, tagValues } from '../../relay/protocol/tags.ts';
import type { Work } from './journal.ts';

export const MENTION_KINDS: readonly number[] = [KIND.chat, KIND.thread, KIND.threadReply];
const PARENT_KINDS: readonly number[] = [...MENTION_KINDS, KIND.richContent];

const MAX_AGE = 24 * 3600;
const MAX_AHEAD = 60;
const MAX_BYTES = 64_000;
const MAX_HOPS = 64;
const RESOLVE_MS = 15_000;
/** How far back listening starts: clocks differ, and a message may be on its way. */
const OVERLAP = 300;

export type Listener = { pubkey: string; rooms: readonly string[] };

/** What the runner listens to, from `watermark` on (Unix seconds) but never more than a day back. */
export function filtersOf({ pubkey, rooms }: Listener, watermark: number, now: number): Filter[] {
  const since = Math.max(now - MAX_AGE, Math.min(watermark, now) - OVERLAP);
  return [
    { kinds: [...MENTION_KINDS, KIND.jobRequest], '#h': [...rooms], '#p': [pubkey], since },
    { kinds: [KIND.reaction], '#p': [pubkey], since },
    { kinds: [KIND.jobCancel], '#h': [...rooms], since },
    // Its own requests and answers say what was taken in before, also when the journal is new (case I6).
    { kinds: [KIND.jobRequest, KIND.jobResult, KIND.jobError], authors: [pubkey], since },
  ];
}

/** The work an event asks for, or why it is none of ours. `now` in Unix seconds. */
export function readWork(
  event: NostrEvent,
  { pubkey, rooms }: Listener,
  now: number,
): { ok: true; work: Work } | { ok: false; reason: string } {
  const room = tagValue(event, 'h');
  const request = event.kind === KIND.jobRequest;
  if (!request && !MENTION_KINDS.includes(event.kind)) return no('not a kind that asks');
  if (event.pubkey === pubkey) return no('its own');
  if (!tagValues(event, 'p').includes(pubkey)) return no('does not name the agent');
  if (room === undefined || !rooms.includes(room)) return no('not in a room of the agent');
  if (event.created_at < now - MAX_AGE) return no('older than a day');
  if (event.created_at > now + MAX_AHEAD) return no('from the future');
  if (Buffer.byteLength(event.content) > MAX_BYTES) return no(`longer than ${MAX_BYTES} bytes`);
  const expires = expirationOf(event);
  if (expires !== undefined && !(expires > now)) return no('expired');
  const reference = parentOf(event);
  const subject = tagValue(event, 'subject');
  return {
    ok: true,
    work: {
      type: request ? 'request' : 'mention',
      room,
      event: event.id,
      author: event.pubkey,
      prompt: event.content,
      ...(subject === undefined ? {} : { subject }),
      root: reference ?? event.id,
      threaded: reference !== undefined,
      kind: event.kind,
      created_at: event.created_at,
      ...(expires === undefined ? {} : { expires }),
      since: Date.now(),
    },
  };
}

/** What one of our own events shows to be taken in: the mentions a request was made for, or the request it answers. */
export function takenBefore(own: NostrEvent): string[] {
  const mark = own.kind === KIND.jobRequest ? 'mention' : undefined;
  const ids = own.tags.filter(tag => tag[0] === 'e' && tag[3] === mark).map(tag => tag[1]);
  return ids.filter(isHex64);
}

/** True when the first word, after the mention of the agent itself, is exactly `/cancel` or `/stop`. */
export function isStopWord(content: string, name: string): boolean {
  let text = content.trim();
  for (let before = ''; before !== text; ) {
    before = text;
    if (name !== '' && text.toLowerCase().startsWith(`@${name.toLowerCase()}`)) {
      text = text.slice(name.length + 1);
    }
    text = text.replace(/^(?:@\S+|nostr:(?:npub|nprofile)1\S+)/, '').replace(/^[\s,:;]+/, '');
  }
  return /^\/(?:cancel|stop)(?=\s|$)/.test(text);
}

/**
 * The root of a thread, followed upwards from `start` as far as its events are there; at most 64 steps and 15 seconds,
 * and only through messages of the same room.
 */
export async function resolveRoot(
  start: string,
  room: string,
  query: (filters: Filter[], options: { timeoutMs: number }) => Promise<NostrEvent[]>,
): Promise<string> {
  const end = performance.now() + RESOLVE_MS;
  const visited = new Set([start]);
  let root = start;
  for (let hop = 0; hop < MAX_HOPS; hop += 1) {
    const timeoutMs = Math.round(end - performance.now());
    if (timeoutMs <= 0) return root;
    const [event] = await query([{ ids: [root], kinds: [...PARENT_KINDS], '#h': [room] }], { timeoutMs });
    const parent = event === undefined ? undefined : parentOf(event);
    if (parent === undefined || visited.has(parent)) return root;
    visited.add(parent);
    root = parent;
  }
  return root;
}

/** The thread an event belongs to: its marked root, or the thread a kind 12 reply names without a mark (NIP-29). */
function parentOf(event: NostrEvent): string | undefined {
  const marked = rootReference(event);
  if (isHex64(marked)) return marked;
  if (event.kind === KIND.jobRequest) return undefined;
  const first = tagValue(event, 'e');
  return isHex64(first) ? first : undefined;
}

function no(reason: string): { ok: false; reason: string } {
  return { ok: false, reason };
}
