import { expect, test } from 'vitest';
import { shellLine, shellWords, wordsByLine } from '../../../renderer/agents/shell-words.ts';

test('words are split as a shell would, without expanding anything', () => {
  expect(shellWords('-c "echo hi" \'a b\' c\\ d $HOME *').words).toEqual([
    '-c',
    'echo hi',
    'a b',
    'c d',
    '$HOME',
    '*',
  ]);
  expect(shellWords('  \n ').words).toEqual([]);
  expect(shellWords('a "" b').words).toEqual(['a', '', 'b']);
  expect(shellWords('--name="two words"x').words).toEqual(['--name=two wordsx']);
});

test('inside double quotes a backslash only escapes what a shell lets it escape', () => {
  expect(shellWords('"a\\"b" "c\\nd"').words).toEqual(['a"b', 'c\\nd']);
});

test('an open quote is said and what was typed stays', () => {
  expect(shellWords("say 'hello there")).toEqual({
    words: ['say', 'hello there'],
    problem: 'A single quote is not closed',
  });
});

test('a line made from words splits into the same words', () => {
  const words = ['-c', "it's", '', 'a b', '$x', 'plain', 'line\nfeed'];
  expect(shellWords(shellLine(words)).words).toEqual(words);
});

test('one argument a line is taken as it stands', () => {
  expect(wordsByLine('-c\n echo "hi" \n\nlast')).toEqual(['-c', ' echo "hi" ', 'last']);
});
