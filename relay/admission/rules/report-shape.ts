// A report (NIP-56, kind 1984) says whom it is about.

import { KIND } from '../../protocol/kinds.ts';
import { isHex64, tagValue } from '../../protocol/tags.ts';
import type { Rule } from '../rule.ts';

export const reportShape: Rule = ({ event }) => {
  if (event.kind !== KIND.report || isHex64(tagValue(event, 'p'))) return null;
  return 'invalid: a report must name a public key in a p tag';
};
