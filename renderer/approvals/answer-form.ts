// What is still missing from, or too much in, an answer to a native card while the person fills it in (seed "Tiny
// agent interactions"). The forms themselves and their limits are relay/protocol/interaction.ts.

import {
  answerContent,
  type Interaction,
  MAX_ANSWER,
  parseAnswer,
} from '../../relay/protocol/interaction.ts';
import { characters } from '../../relay/protocol/tags.ts';

export type AnswerDraft = { choices: string[]; text: string };

export type AnswerState = {
  /** Null when the answer may be sent. */
  problem: string | null;
  /** Which part the problem is about, for the field that shows it. */
  about: 'choices' | 'text' | null;
  /** Characters (code points) of the whole answer as it will be published. */
  used: number;
};

/** The draft as it is sent: words without surrounding space, choices in the card's order. */
export function tidied(card: Interaction, draft: AnswerDraft): AnswerDraft {
  const order = card.options.map(option => option.id);
  const choices = [...draft.choices].sort((a, b) => order.indexOf(a) - order.indexOf(b));
  return { choices, text: draft.text.trim() };
}

/** Whether the draft may be sent as it stands, and how much room it takes. */
export function answerState(card: Interaction, draft: AnswerDraft): AnswerState {
  const { choices, text } = tidied(card, draft);
  const content = answerContent(card, { choices, text });
  const used = characters(content);
  const wrong = (about: 'choices' | 'text', problem: string): AnswerState => ({ problem, about, used });
  if (used > MAX_ANSWER) {
    const limit = `At most ${thousands(MAX_ANSWER)} characters`;
    return wrong('text', choices.length === 0 ? limit : `${limit} together with the choices`);
  }
  if (card.selection === 'text') {
    return text === '' ? wrong('text', 'Write an answer') : { problem: null, about: null, used };
  }
  if (choices.length === 0 && text === '') {
    if (card.freeform) return wrong('choices', 'Choose one, or write an answer');
    return wrong('choices', card.selection === 'single' ? 'Choose one' : 'Choose at least one');
  }
  if (card.selection === 'single' && choices.length > 1) return wrong('choices', 'Choose one');
  if (parseAnswer(card, content) === null) return wrong('choices', 'Choose from the options shown');
  return { problem: null, about: null, used };
}

/** "7,950 of 8,000 characters", said only once it matters. */
export function roomLeft(used: number): string | null {
  return used > MAX_ANSWER * 0.8 ? `${thousands(used)} of ${thousands(MAX_ANSWER)} characters` : null;
}

export function thousands(count: number): string {
  return count.toLocaleString('en-GB');
}
