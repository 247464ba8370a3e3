import { expect, test } from 'vitest';
import { coverWords, kindWords } from '../../../renderer/agents/grant-words.ts';
import { workFolder } from '../../../renderer/agents/work-folder.ts';

test('kinds are named, unknown ones by number, none as what is left', () => {
  expect(kindWords([9, 12345])).toBe('room messages (9), kind 12345');
  expect(kindWords([])).toBe('only its profile and relay list');
});

test('what a grant covers fits one line of the table', () => {
  const scope = { kinds: [9], rooms: ['general'], repos: [], rate: 60 };
  expect(coverWords({ ...scope, jobs: 'both', wiki: 'propose' })).toBe('#general; wiki propose; tasks');
  expect(coverWords({ ...scope, rooms: [] })).toBe('its profile only');
});

test('an agent that names no folder gets its own below the home', () => {
  expect(workFolder('/home/mira/tiny/', 'Demo agent')).toBe('/home/mira/tiny/work/demo-agent');
  expect(workFolder('C:\\Users\\Mira\\Tiny', 'A')).toBe('C:\\Users\\Mira\\Tiny\\work\\a');
});
