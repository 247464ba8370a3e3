// What a native card accepts (seed "Tiny agent interactions"), checked while the person fills it in: one choice or
// several, words alone or beside choices, at most 8,000 characters for the words and for the whole answer.

import { characters } from '../../relay/protocol/tags.ts';

export const MAX_TEXT = 8000;

export type AnswerShape = {
  selection: 'single' | 'multiple' | 'text';
  freeform: boolean;
  options: readonly { id: string; label: string }[];
};
export type AnswerDraft = { choices: readonly string[]; text: string };

export type AnswerState = {
  /** Null when the answer may be sent. */
  problem: string | null;
  /** Which part the problem is about, for the field that shows it. */
  about: 'choices' | 'text' | null;
  /** Characters (code points) of the whole answer as it will be published. */
  used: number;
  /** The limit that is closest, for "7,950 of 8,000". */
  limit: number;
};

/** The content the answer will be published with, in the shortest form the card accepts. */
export function answerContent(shape: AnswerShape, draft: AnswerDraft): string {
  const text = draft.text.trim();
  if (shape.selection === 'text') return text;
  if (text !== '' && shape.freeform) {
    return draft.choices.length > 0
      ? JSON.stringify({ choices: draft.choices, text })
      : JSON.stringify({ text });
  }
  return shape.selection === 'single' ? (draft.choices[0] ?? '') : JSON.stringify(draft.choices);
}

/** Whether the draft may be sent as it stands, and how much room is left. */
export function answerState(shape: AnswerShape, draft: AnswerDraft): AnswerState {
  const used = characters(answerContent(shape, draft));
  const wrong = (about: 'choices' | 'text', problem: string): AnswerState => ({
    problem,
    about,
    used,
    limit: MAX_TEXT,
  });
  const words = characters(draft.text.trim());
  if (words > MAX_TEXT) return wrong('text', `At most ${thousands(MAX_TEXT)} characters`);
  if (shape.selection === 'text') {
    return words === 0
      ? wrong('text', 'Write an answer')
      : { problem: null, about: null, used, limit: MAX_TEXT };
  }
  const known = new Set(shape.options.map(option => option.id));
  if (draft.choices.some(choice => !known.has(choice)))
    return wrong('choices', 'Choose from the options shown');
  if (draft.choices.length === 0 && (!shape.freeform || words === 0)) {
    if (shape.freeform) return wrong('choices', 'Choose one, or write an answer');
    return wrong('choices', shape.selection === 'single' ? 'Choose one' : 'Choose at least one');
  }
  if (used > MAX_TEXT) {
    return wrong('text', `Together with the choices at most ${thousands(MAX_TEXT)} characters`);
  }
  return { problem: null, about: null, used, limit: MAX_TEXT };
}

/** "7,950 of 8,000 characters", said only once it matters. */
export function roomLeft(used: number, limit: number): string | null {
  return used > limit * 0.8 ? `${thousands(used)} of ${thousands(limit)} characters` : null;
}

export function thousands(count: number): string {
  return count.toLocaleString('en-GB');
}
