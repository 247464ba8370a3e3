// What the desktop and the relay's process say to each other: over Node's IPC channel when forked, over the parent
// port in an Electron utility process. The channel closing means the desktop is gone: the relay stops in order.

import { z } from 'zod';

const hex = z.string().regex(/^[0-9a-f]{64}$/);

/** First message to the process. `selfSecret` is the relay's own key, kept by the desktop and never written. */
export const relayOrder = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('start'),
    data: z.string().min(1),
    host: z.string().optional(),
    port: z.number().int().min(0).max(65535).optional(),
    owner: hex.optional(),
    name: z.string().optional(),
    url: z.string().optional(),
    reads: z.enum(['open', 'auth', 'members']).optional(),
    writes: z.enum(['open', 'allowlist', 'wot', 'owner']).optional(),
    selfSecret: hex.optional(),
  }),
  z.object({ type: z.literal('stop') }),
]);
export type RelayOrder = z.infer<typeof relayOrder>;

/** From the process: once after `start`, and `failed` again when a running relay has to give up. */
export const relayReport = z.discriminatedUnion('type', [
  /** `url` and `http` as in startRelay; `self` is the relay's own public key. */
  z.object({ type: z.literal('ready'), url: z.string(), http: z.string(), self: hex, owner: z.string() }),
  /** One line for a person; the process ends with exit code 1 after it. */
  z.object({ type: z.literal('failed'), reason: z.string() }),
]);
export type RelayReport = z.infer<typeof relayReport>;
