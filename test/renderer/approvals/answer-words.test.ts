import { expect, test } from 'vitest';
import { answerWords } from '../../../renderer/approvals/answer-words.ts';

const card = {
  selection: 'multiple' as const,
  options: [
    { id: 'go', label: 'Go on' },
    { id: '[x]', label: 'Bracket' },
  ],
};

test('an answer reads in the labels the person saw', () => {
  expect(answerWords(card, '["go","gone"]')).toBe('Go on, gone');
  expect(answerWords({ ...card, selection: 'single' }, ' go ')).toBe('Go on');
  expect(answerWords({ ...card, selection: 'single' }, '[x]')).toBe('Bracket');
  expect(answerWords(card, '{"choices":["go"],"text":"because"}')).toBe('Go on\nbecause');
  expect(answerWords(card, '{"text":"neither"}')).toBe('neither');
});

test('words stay words, and what is of no known form is shown as it is', () => {
  expect(answerWords({ ...card, selection: 'text' }, '["go"]')).toBe('["go"]');
  expect(answerWords({ selection: undefined, options: undefined }, 'plain')).toBe('plain');
  expect(answerWords(card, '{"other":1}')).toBe('{"other":1}');
});
