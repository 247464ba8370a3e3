// What a rule of admission is: one question about an event, answered by a refusal or by nothing.

import type { AccessChange, Origin, Refusal } from '../context.ts';
import type { Policy } from '../policy.ts';
import type { EventTemplate, NostrEvent } from '../protocol/event.ts';
import type { Roles } from '../roles.ts';
import type { SqliteStore } from '../store/store.ts';
import type { Visibility } from '../visibility/visibility.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** An event that asks to come in, and how it came. */
export type Candidate = { event: NostrEvent; origin: Origin };

/** What rules look at and effects change. */
export type Desk = {
  store: SqliteStore;
  policy(): Policy;
  roles: Roles;
  visibility: Visibility;
  rates: RateLimiter;
  /** Public key of the relay's own records. */
  self: string;
  now(): number;
  /** Is this URL an address of ours? */
  isOurUrl(url: string): boolean;
  publishOwn(templates: readonly Omit<EventTemplate, 'created_at'>[]): NostrEvent[];
  accessChanged(change: AccessChange): void;
};

/** Why the event may not come in, or null. Rules never write; those of the second list run inside the transaction. */
export type Rule = (candidate: Candidate, desk: Desk) => Refusal | null;

/**
 * What a stored event changes besides being stored. `nothingToDo` says (as an accepting message) that the event asks
 * for what already holds: then it is not stored. `apply` runs in the event's transaction and may answer a message.
 */
export type Effect = {
  nothingToDo?: (candidate: Candidate, desk: Desk) => string | null;
  apply?: (candidate: Candidate, desk: Desk) => string | undefined;
};
