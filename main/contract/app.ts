// The program as a whole: is it up, is it locked, whose is it, what waits.

import { z } from 'zod';
import { feature, hex64, millis, nothing } from './contract.ts';

/** State of a supervised process, with its reason and since when. */
export const processState = z.object({
  state: z.enum(['stopped', 'starting', 'running', 'backing-off', 'suspended']),
  reason: z.string().optional(),
  since: millis,
  pid: z.number().int().optional(),
  retryAt: millis.optional(),
});
export type ProcessState = z.infer<typeof processState>;

export const appState = z.object({
  version: z.string(),
  home: z.string(),
  vault: z.object({
    state: z.enum(['open', 'locked', 'unusable']),
    /** What holds the wrapping key: the system's keychain by its name, or a passphrase. */
    backend: z.enum(['keychain', 'passphrase', 'none']),
    backendName: z.string(),
    /** What was tried and what it answered, when the keychain is not in use. */
    problem: z.string().optional(),
    /** True when no vault exists yet, so a new passphrase is chosen rather than the old one asked for. */
    fresh: z.boolean(),
  }),
  relay: processState.extend({ url: z.string().nullable(), http: z.string().nullable() }),
  /** The dashboard's own connection to the relay. */
  connection: z.object({
    state: z.enum(['offline', 'connecting', 'online']),
    reason: z.string().optional(),
    since: millis,
  }),
  owner: z.object({ pubkey: hex64, npub: z.string() }).nullable(),
  /** Open approvals that wait for the owner. */
  waiting: z.number().int().nonnegative(),
  /** True until an agent was added or the welcome was skipped. */
  welcome: z.boolean(),
});
export type AppState = z.infer<typeof appState>;

/** A person or agent as the dashboard names it. */
export const party = z.object({
  pubkey: hex64,
  npub: z.string(),
  name: z.string(),
  agent: z.boolean(),
  me: z.boolean(),
});
export type Party = z.infer<typeof party>;

export const app = feature({
  calls: {
    state: { args: nothing, result: appState },
    /** Everyone known by name: members, agents, the owner. */
    people: { args: nothing, result: z.array(party) },
    /** Opens the vault with its passphrase, or makes one when `vault.fresh`. */
    unlock: { args: z.object({ passphrase: z.string().min(8).max(1024) }), result: appState },
    /** Tries the keychain again. */
    retryKeychain: { args: nothing, result: appState },
    skipWelcome: { args: nothing, result: appState },
    restartRelay: { args: nothing, result: appState },
  },
  pushes: { state: appState, people: z.array(party) },
});
