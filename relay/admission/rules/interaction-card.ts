// A native card is either well formed or not here at all (spec/decisions.md 4).

import { isNative, parseInteraction } from '../../protocol/interaction.ts';
import type { Rule } from '../rule.ts';

export const interactionCard: Rule = ({ event }) => {
  if (!isNative(event)) return null;
  const card = parseInteraction(event);
  return card.ok ? null : card.refusal;
};
