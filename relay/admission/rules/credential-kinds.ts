// Signed proofs of who somebody is (NIP-42, NIP-98, Blossom) are for their one use and are never kept or passed on.

import { KIND } from '../../protocol/kinds.ts';
import type { Rule } from '../rule.ts';

const CREDENTIALS = new Set<number>([KIND.auth, KIND.blobAuth, KIND.httpAuth]);

export const credentialKinds: Rule = ({ event }) =>
  CREDENTIALS.has(event.kind) ? `blocked: kind ${event.kind} is a credential and is never stored` : null;
