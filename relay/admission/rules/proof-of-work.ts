// The work an id must show when the policy asks for it (NIP-13).

import type { Rule } from '../rule.ts';

export const proofOfWork: Rule = ({ event }, desk) => {
  const { minPow } = desk.policy();
  if (minPow === 0) return null;
  const difficulty = leadingZeroBits(event.id);
  return difficulty >= minPow ? null : `pow: difficulty ${difficulty} is less than ${minPow}`;
};

function leadingZeroBits(hex: string): number {
  const zeros = /^0*/.exec(hex)?.[0].length ?? 0;
  const next = hex[zeros];
  return zeros * 4 + (next === undefined ? 0 : Math.clz32(Number.parseInt(next, 16)) - 28);
}
