import { expect, test } from 'vitest';
import { answerWords } from '../../../renderer/approvals/answer-words.ts';

function asked(selection: 'single' | 'multiple' | 'text') {
  const tags = [
    ['request', 'question'],
    ['tinyagent', '1'],
    ['interaction', 'question'],
    ['selection', selection],
  ];
  if (selection !== 'text')
    tags.push(['option', 'go', 'Go on'], ['option', '[x]', 'Bracket'], ['freeform', 'true']);
  const event = { id: '', pubkey: '', created_at: 0, kind: 9, tags, content: '', sig: '' };
  return { event, selection };
}

test('an answer reads in the labels the person saw', () => {
  expect(answerWords(asked('multiple'), '["go","[x]"]')).toBe('Go on, Bracket');
  expect(answerWords(asked('single'), ' go ')).toBe('Go on');
  expect(answerWords(asked('single'), '[x]')).toBe('Bracket');
  expect(answerWords(asked('multiple'), '{"choices":["go"],"text":"because"}')).toBe('Go on\nbecause');
  expect(answerWords(asked('multiple'), '{"text":"neither"}')).toBe('neither');
});

test('words stay words, and what is of no known form is shown as it is', () => {
  expect(answerWords(asked('text'), '["go"]')).toBe('["go"]');
  expect(answerWords({ ...asked('single'), selection: undefined }, 'plain')).toBe('plain');
  expect(answerWords(asked('multiple'), '{"other":1}')).toBe('{"other":1}');
});
