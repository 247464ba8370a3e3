import { expect, test } from 'vitest';
import {
  type AnswerShape,
  answerContent,
  answerState,
  roomLeft,
} from '../../../renderer/approvals/answer-form.ts';

const options = [
  { id: 'go', label: 'Go on' },
  { id: 'stop', label: 'Stop here' },
];
const single: AnswerShape = { selection: 'single', freeform: false, options };
const multiple: AnswerShape = { selection: 'multiple', freeform: false, options };
const words: AnswerShape = { selection: 'text', freeform: false, options: [] };
const freeform: AnswerShape = { selection: 'single', freeform: true, options };

test('each selection has its own form of answer', () => {
  expect(answerContent(single, { choices: ['go'], text: '' })).toBe('go');
  expect(answerContent(multiple, { choices: ['go', 'stop'], text: '' })).toBe('["go","stop"]');
  expect(answerContent(words, { choices: [], text: '  hello  ' })).toBe('hello');
  expect(answerContent(freeform, { choices: [], text: 'why' })).toBe('{"text":"why"}');
  expect(answerContent(freeform, { choices: ['stop'], text: 'The run needs review.' })).toBe(
    '{"choices":["stop"],"text":"The run needs review."}',
  );
  expect(answerContent({ ...freeform, selection: 'multiple' }, { choices: ['go'], text: ' ' })).toBe(
    '["go"]',
  );
});

test('what is missing is said where it is missing', () => {
  expect(answerState(single, { choices: [], text: '' })).toMatchObject({
    about: 'choices',
    problem: 'Choose one',
  });
  expect(answerState(multiple, { choices: [], text: '' })).toMatchObject({ problem: 'Choose at least one' });
  expect(answerState(words, { choices: [], text: '   ' })).toMatchObject({ about: 'text' });
  expect(answerState(freeform, { choices: [], text: '' }).problem).toBe('Choose one, or write an answer');
  expect(answerState(freeform, { choices: [], text: 'so' }).problem).toBeNull();
});

test('8,000 characters are counted by code points, 8,001 are too many', () => {
  const astral = '\u{1F600}';
  expect(answerState(words, { choices: [], text: astral.repeat(8000) }).problem).toBeNull();
  expect(answerState(words, { choices: [], text: astral.repeat(8001) }).about).toBe('text');
});

test('beside choices the whole answer counts', () => {
  const draft = { choices: ['stop'], text: 'a'.repeat(7990) };
  expect(answerState(freeform, draft).problem).toBe('Together with the choices at most 8,000 characters');
  expect(answerState(freeform, { ...draft, text: 'a'.repeat(7900) }).problem).toBeNull();
});

test('room left is said only once it matters', () => {
  expect(roomLeft(100, 8000)).toBeNull();
  expect(roomLeft(7950, 8000)).toBe('7,950 of 8,000 characters');
});
