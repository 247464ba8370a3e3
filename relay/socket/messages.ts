// What clients say (NIP-01, 42, 45, 77), read from a frame: unknown in, a named message out, or what to answer instead.

import { LIMITS } from '../limits.ts';
import type { Filter } from '../protocol/event.ts';
import { parseFilter, parseFilters } from '../protocol/filter.ts';

export type ClientMessage =
  | { verb: 'EVENT'; id: string; event: unknown }
  | { verb: 'REQ' | 'COUNT'; id: string; filters: Filter[] }
  | { verb: 'CLOSE' | 'NEG-CLOSE'; id: string }
  | { verb: 'NEG-OPEN'; id: string; filter: Filter; message: unknown }
  | { verb: 'NEG-MSG'; id: string; message: unknown }
  | { verb: 'AUTH'; id: string; event: unknown };

/**
 * A frame that is no message: the answer that says so. A REQ that is refused ends the subscription of that id, a
 * NEG-OPEN the negentropy session.
 */
export type BadMessage = {
  verb: 'bad';
  answer: readonly unknown[];
  ends?: string;
  endsNegentropy?: string;
};

/** Never throws. `text` undefined stands for a binary frame. */
export function readMessage(text: string | undefined): ClientMessage | BadMessage {
  if (text === undefined) return notice('error: frames must be text');
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    // The parser's words quote the frame; the sender knows what it sent.
    return notice('error: not JSON');
  }
  if (!Array.isArray(message) || message.length === 0) return notice('error: a message is a list');
  const [verb, ...rest]: unknown[] = message;
  switch (verb) {
    case 'EVENT':
    case 'AUTH':
      return readEvent(verb, rest[0]);
    case 'REQ':
    case 'COUNT':
      return readQuery(verb, rest);
    case 'CLOSE':
    case 'NEG-CLOSE':
      return isId(rest[0]) ? { verb, id: rest[0] } : notice(`error: ${verb} needs a subscription id`);
    case 'NEG-OPEN':
    case 'NEG-MSG':
      return readNegentropy(verb, rest);
    default:
      return notice(`error: unknown message ${typeof verb === 'string' ? verb.slice(0, 32) : ''}`.trim());
  }
}

function readEvent(verb: 'EVENT' | 'AUTH', event: unknown): ClientMessage | BadMessage {
  const id = typeof event === 'object' && event !== null && 'id' in event ? event.id : undefined;
  if (typeof id !== 'string' || id.length > LIMITS.subscriptionId) {
    return notice(`invalid: ${verb} needs an event with an id`);
  }
  return { verb, id, event };
}

function readQuery(verb: 'REQ' | 'COUNT', rest: unknown[]): ClientMessage | BadMessage {
  const [id, ...filters] = rest;
  if (typeof id !== 'string' || id === '' || id.length > 1024) {
    return notice(`invalid: ${verb} needs a subscription id`);
  }
  if (!isId(id))
    return closed(id, `invalid: subscription id is longer than ${LIMITS.subscriptionId} characters`);
  const parsed = parseFilters(filters, LIMITS);
  return parsed.ok ? { verb, id, filters: parsed.value } : closed(id, parsed.refusal);
}

/** The payload itself is read by the session: what is wrong with it ends that. */
function readNegentropy(verb: 'NEG-OPEN' | 'NEG-MSG', rest: unknown[]): ClientMessage | BadMessage {
  const [id, first, second] = rest;
  if (!isId(id)) return notice(`invalid: ${verb} needs a subscription id`);
  if (verb === 'NEG-MSG') return { verb, id, message: first };
  const parsed = parseFilter(first, LIMITS);
  if (parsed.ok) return { verb, id, filter: parsed.value, message: second };
  return { verb: 'bad', answer: ['NEG-ERR', id, parsed.refusal], endsNegentropy: id };
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LIMITS.subscriptionId;
}

function notice(text: string): BadMessage {
  return { verb: 'bad', answer: ['NOTICE', text] };
}

function closed(id: string, reason: string): BadMessage {
  return { verb: 'bad', answer: ['CLOSED', id, reason], ends: id };
}
