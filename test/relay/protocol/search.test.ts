import { describe, expect, test } from 'vitest';
import { searchScore, searchTest, searchWords, words } from '../../../relay/protocol/search.ts';

const event = (content: string, tags: string[][] = []) => ({ content, tags });

test('words are letters and digits of any script, without marks, in lower case', () => {
  expect(words('Ünïcode—Слово 42, naïve_word!')).toEqual(['unicode', 'слово', '42', 'naive', 'word']);
});

describe('a query', () => {
  test('asks for its words, not for extensions it does not know', () => {
    expect(searchWords('Release notes language:en include:spam notes')).toEqual(['release', 'notes']);
  });

  test('fits events that hold all of its words, in the content or a title', () => {
    const fits = searchTest('release NOTES');
    expect(fits(event('Notes of the release'))).toBe(true);
    expect(fits(event('notes', [['title', 'Release 1.4']]))).toBe(true);
    expect(fits(event('released notes'))).toBe(false);
    expect(fits(event('notes', [['t', 'release']]))).toBe(false);
  });

  test.each(['', '   ', '%', '"\'*', 'language:en'])('without words (%j) fits nothing', query => {
    expect(searchTest(query)(event('anything at all % "'))).toBe(false);
  });
});

test('often and in few words is better', () => {
  const score = (content: string) => searchScore('apple', event(content));
  expect(score('apple')).toBeGreaterThan(score(`apple ${'pear '.repeat(100)}`));
  expect(score('apple apple')).toBeGreaterThan(score('apple pear'));
  expect(score('pear')).toBe(0);
});
