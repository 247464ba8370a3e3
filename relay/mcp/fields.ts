// Arguments several tools share, with the words a model is shown for them.

import { z } from 'zod';
import { isHex64 } from '../protocol/tags.ts';

const HEX = /^[0-9a-f]{64}$/;

/** A public key or event id: 64 lower-case hex characters. */
export function hex(what: string): z.ZodString {
  return z.string({ error: `${what} is required` }).regex(HEX, `${what} must be 64 hex characters`);
}

export const room = z
  .string({ error: 'room is required' })
  .regex(/^[a-z0-9_-]{1,64}$/, 'room must be a room id: a-z, 0-9, _ and -')
  .describe('Room id');

export const content = z
  .string({ error: 'content is required' })
  .refine(text => text.trim() !== '', 'content is required')
  .describe('Text');

export const expiration = z
  .number()
  .int()
  .positive()
  .optional()
  .describe('Unix time in seconds after which it no longer counts');

export const limit = z.number().int().min(1).max(100).optional().describe('Most items of one page');
export const cursor = z.string().optional().describe('next_cursor of the page before');

/** A signed event as an argument: only its being an object is checked here, the rest at the gate. */
export const signedEvent = z
  .record(z.string(), z.unknown(), { error: 'event must be a signed event' })
  .describe('The signed event: id, pubkey, created_at, kind, tags, content, sig');

/** An event of somebody else given whole; null when it is none. */
export function eventFacts(
  value: Record<string, unknown>,
): { id: string; pubkey: string; tags: string[][] } | null {
  const { id, pubkey, tags } = value;
  if (!isHex64(id) || !isHex64(pubkey) || !Array.isArray(tags)) return null;
  const strings = tags.every(tag => Array.isArray(tag) && tag.every(part => typeof part === 'string'));
  return strings ? { id, pubkey, tags: tags as string[][] } : null;
}
