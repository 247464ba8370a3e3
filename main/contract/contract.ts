// How a feature says what the dashboard may ask of main and what main tells the dashboard. Pure: both sides
// import it, so it knows no Node and no DOM.

import { z } from 'zod';

export type CallShape = { args: z.ZodType; result: z.ZodType };
export type FeatureShape = { calls: Record<string, CallShape>; pushes: Record<string, z.ZodType> };

/** Declares one feature: each call with the shape of its argument and its answer, each push with its shape. */
export function feature<const F extends FeatureShape>(shape: F): F {
  return shape;
}

/** Why a call did not do what was asked. `refused` is the relay's no; `invalid` names a field. */
export const failureKind = z.enum([
  'invalid',
  'refused',
  'not-found',
  'conflict',
  'locked',
  'unavailable',
  'failed',
]);

/** What happened, why and what to do, in `message`; the relay's own words in `details`. */
export const failure = z.object({
  kind: failureKind,
  message: z.string(),
  details: z.string().optional(),
  /** Per field, for forms: path of the field to what is wrong with it. */
  fields: z.record(z.string(), z.string()).optional(),
});
export type Failure = z.infer<typeof failure>;

/** Every call answers with this; nothing crosses the bridge as a thrown error. */
export type Reply<T> = { ok: true; value: T } | { ok: false; failure: Failure };

export const hex64 = z.string().regex(/^[0-9a-f]{64}$/);
export const roomId = z.string().regex(/^[a-z0-9_-]{1,64}$/);
/** Unix seconds, as in events. */
export const seconds = z.number().int().nonnegative();
/** Milliseconds since the epoch, for states and timers of the desktop itself. */
export const millis = z.number().int().nonnegative();
export const nothing = z.object({}).strict();

export const nostrEvent = z.object({
  id: hex64,
  pubkey: hex64,
  created_at: z.number().int(),
  kind: z.number().int(),
  tags: z.array(z.array(z.string())),
  content: z.string(),
  sig: z.string(),
});
