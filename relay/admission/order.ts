// The order of refusal (spec/http-surface.md section 13). The first list needs no transaction and runs before the
// signature is checked: what is hopeless costs nothing. The second runs inside the transaction that stores the event,
// so that nothing can change between the answer and the deed.

import { KIND } from '../protocol/kinds.ts';
import type { Rule } from './rule.ts';
import { bans } from './rules/bans.ts';
import { blockedWords } from './rules/blocked-words.ts';
import { credentialKinds } from './rules/credential-kinds.ts';
import { notExpired, notFromTheFuture } from './rules/dates.ts';
import { giftWrapLocality } from './rules/gift-wrap-locality.ts';
import { grantAuthority } from './rules/grant-authority.ts';
import { grantRequest } from './rules/grant-request.ts';
import { grantScope } from './rules/grant-scope.ts';
import { interactionCard } from './rules/interaction-card.ts';
import { jobReply } from './rules/job-reply.ts';
import { jobShape, jobsSwitch } from './rules/jobs-switch.ts';
import { joining, joinShape } from './rules/joining.ts';
import { kindPolicy } from './rules/kind-policy.ts';
import { oneRoom } from './rules/one-room.ts';
import { proofOfWork } from './rules/proof-of-work.ts';
import { protectedEvent } from './rules/protected.ts';
import { reactionRoom } from './rules/reaction-room.ts';
import { relayRecords } from './rules/relay-records.ts';
import { reportShape } from './rules/report-shape.ts';
import { retention } from './rules/retention.ts';
import { reviewedGrant } from './rules/reviewed-grant.ts';
import { roomAccess } from './rules/room-access.ts';
import { roomModeration } from './rules/room-moderation.ts';
import { vanishAddress } from './rules/vanish-address.ts';
import { writePolicy } from './rules/write-policy.ts';

export const BEFORE_SIGNATURE: readonly Rule[] = [
  credentialKinds,
  relayRecords,
  oneRoom,
  joinShape,
  reportShape,
  jobsSwitch,
  jobShape,
  notFromTheFuture,
  notExpired,
  interactionCard,
  vanishAddress,
];

const IN_TRANSACTION: readonly Rule[] = [
  bans,
  grantAuthority,
  reviewedGrant,
  grantScope,
  grantRequest,
  blockedWords,
  roomAccess,
  reactionRoom,
  roomModeration,
  protectedEvent,
  joining,
  jobReply,
  kindPolicy,
  writePolicy,
  retention,
  giftWrapLocality,
  proofOfWork,
];

/** The second list for an event of that kind: a key may vanish whatever it was or was not (NIP-62). */
export function rulesInTransaction(kind: number): readonly Rule[] {
  return kind === KIND.vanish ? [] : IN_TRANSACTION;
}
