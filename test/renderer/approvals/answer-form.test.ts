import { expect, test } from 'vitest';
import { answerContent, type Interaction, parseAnswer } from '../../../relay/protocol/interaction.ts';
import { answerState, roomLeft, tidied } from '../../../renderer/approvals/answer-form.ts';

const options = [
  { id: 'go', label: 'Go on' },
  { id: 'stop', label: 'Stop here' },
];
const card = (selection: Interaction['selection'], freeform = false): Interaction => ({
  type: 'question',
  selection,
  options: selection === 'text' ? [] : options,
  freeform,
  mentions: [],
});

test('what is missing is said where it is missing', () => {
  const nothing = { choices: [], text: '' };
  expect(answerState(card('single'), nothing)).toMatchObject({ about: 'choices', problem: 'Choose one' });
  expect(answerState(card('multiple'), nothing)).toMatchObject({ problem: 'Choose at least one' });
  expect(answerState(card('text'), { choices: [], text: '   ' })).toMatchObject({ about: 'text' });
  expect(answerState(card('single', true), nothing).problem).toBe('Choose one, or write an answer');
  expect(answerState(card('single', true), { choices: [], text: 'so' }).problem).toBeNull();
});

test('8,000 characters are counted by code points, 8,001 are too many', () => {
  const astral = '\u{1F600}';
  expect(answerState(card('text'), { choices: [], text: astral.repeat(8000) }).problem).toBeNull();
  expect(answerState(card('text'), { choices: [], text: astral.repeat(8001) }).about).toBe('text');
});

test('beside choices the whole answer counts', () => {
  const draft = { choices: ['stop'], text: 'a'.repeat(7990) };
  expect(answerState(card('single', true), draft).problem).toBe(
    'At most 8,000 characters together with the choices',
  );
  expect(answerState(card('single', true), { ...draft, text: 'a'.repeat(7900) }).problem).toBeNull();
});

test('whatever the form lets through is an answer the relay takes, and says what was chosen', () => {
  for (const selection of ['single', 'multiple', 'text'] as const) {
    for (const freeform of selection === 'text' ? [false] : [false, true]) {
      for (const choices of [[], ['go'], ['stop', 'go']]) {
        for (const text of ['', '  words  ']) {
          const of = card(selection, freeform);
          const draft = { choices, text };
          if (answerState(of, draft).problem !== null) continue;
          const sent = tidied(of, draft);
          const taken = parseAnswer(of, answerContent(of, sent));
          expect(taken, JSON.stringify({ selection, freeform, draft })).not.toBeNull();
          if (selection !== 'text') expect(taken?.choices).toEqual(sent.choices);
        }
      }
    }
  }
});

test('choices are sent in the order of the card, not of the presses', () => {
  expect(tidied(card('multiple'), { choices: ['stop', 'go'], text: ' ' })).toEqual({
    choices: ['go', 'stop'],
    text: '',
  });
});

test('room left is said only once it matters', () => {
  expect(roomLeft(100)).toBeNull();
  expect(roomLeft(7950)).toBe('7,950 of 8,000 characters');
});
