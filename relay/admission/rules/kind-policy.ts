// Kinds the owner has allowed or shut out (policy allowedKinds and blockedKinds). The owner's own profile and lists
// always come through.

import { kindClass } from '../../protocol/kinds.ts';
import type { Rule } from '../rule.ts';

export const kindPolicy: Rule = ({ event }, desk) => {
  const { owner, allowedKinds, blockedKinds } = desk.policy();
  const isAllowed = allowedKinds.length === 0 || allowedKinds.includes(event.kind);
  if (isAllowed && !blockedKinds.includes(event.kind)) return null;
  const kind = kindClass(event.kind);
  if (event.pubkey === owner && (kind === 'replaceable' || kind === 'addressable')) return null;
  return `blocked: kind ${event.kind} is not carried by this relay`;
};
