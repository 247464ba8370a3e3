// A request to vanish (NIP-62, kind 62) is for the relays it names: this one, or all.

import { KIND } from '../../protocol/kinds.ts';
import { tagValues } from '../../protocol/tags.ts';
import type { Rule } from '../rule.ts';

const ALL = 'ALL_RELAYS';

export const vanishAddress: Rule = ({ event }, desk) => {
  if (event.kind !== KIND.vanish) return null;
  const relays = tagValues(event, 'relay');
  return relays.some(relay => relay === ALL || desk.isOurUrl(relay))
    ? null
    : 'invalid: the request to vanish names other relays';
};
