// What main and the keychain's process say to each other.

import { z } from 'zod';

export const keychainRequest = z.discriminatedUnion('op', [
  z.object({ op: z.literal('read'), id: z.number(), service: z.string(), account: z.string() }),
  z.object({
    op: z.literal('write'),
    id: z.number(),
    service: z.string(),
    account: z.string(),
    value: z.string(),
  }),
  z.object({ op: z.literal('remove'), id: z.number(), service: z.string(), account: z.string() }),
]);
export type KeychainRequest = z.infer<typeof keychainRequest>;

/** `value` is null when there is no such item; `library` means that the keychain's library is not there. */
export const keychainReply = z.object({
  id: z.number(),
  value: z.string().nullable().optional(),
  error: z.string().optional(),
  library: z.boolean().optional(),
});
export type KeychainReply = z.infer<typeof keychainReply>;
