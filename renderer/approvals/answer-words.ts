// An answer to a native card in the words the person saw: labels in place of option ids.

import type { ApprovalView } from '../../main/contract/approvals.ts';
import { parseAnswer, parseInteraction } from '../../relay/protocol/interaction.ts';

/** The answer as a person reads it; what is of no form the card takes is shown as it is. */
export function answerWords(item: Pick<ApprovalView, 'event' | 'selection'>, content: string): string {
  if (item.selection === undefined) return content;
  const card = parseInteraction(item.event);
  const answer = card.ok ? parseAnswer(card.value, content) : null;
  if (!card.ok || answer === null) return content;
  const labels = answer.choices.map(id => card.value.options.find(option => option.id === id)?.label ?? id);
  return [labels.join(', '), answer.text].filter(part => part !== '').join('\n');
}
