// An answer to a native card in the words the person saw: labels in place of option ids.

import type { ApprovalView } from '../../main/contract/approvals.ts';

type Card = Pick<ApprovalView, 'selection' | 'options'>;

/** The answer as a person reads it; anything that is not of a known form is shown as it is. */
export function answerWords(card: Card, content: string): string {
  if (card.selection === undefined || card.selection === 'text') return content;
  const labels = (ids: readonly unknown[]) =>
    ids.map(id => card.options?.find(option => option.id === id)?.label ?? String(id)).join(', ');
  const text = content.trim();
  if (!text.startsWith('{') && !text.startsWith('[')) return labels([text]);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // An option's id may begin with a bracket: then it is the id.
    return labels([text]);
  }
  if (Array.isArray(parsed)) return labels(parsed);
  const { choices, text: words } = parsed as { choices?: unknown; text?: unknown };
  const parts = [Array.isArray(choices) ? labels(choices) : '', typeof words === 'string' ? words : ''];
  return parts.filter(part => part !== '').join('\n') || content;
}
