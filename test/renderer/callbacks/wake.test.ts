import { expect, test } from 'vitest';
import { parseCallbackFilter } from '../../../relay/protocol/callback-filter.ts';
import { filterOf, secretProblem, urlProblem, type WakeValues } from '../../../renderer/callbacks/wake.ts';

const who = 'a'.repeat(64);
const values: WakeValues = { wake: 'mentions', room: 'build', who, repository: ' tinyrelay ', own: '' };

test('the four common cases make the filters of the seed', () => {
  const made = (['mentions', 'answers', 'repository', 'pushes'] as const).map(wake =>
    filterOf({ ...values, wake }),
  );
  expect(made.map(({ filter }) => filter)).toEqual([
    { kinds: [9, 11, 12], '#h': ['build'], '#p': [who] },
    { kinds: [7, 9, 1111], '#p': [who] },
    { kinds: [1621, 1618, 1111], '#a': [`30617:${who}:tinyrelay`] },
    { kinds: [30618], authors: [who] },
  ]);
  for (const { filter } of made) expect(parseCallbackFilter(filter)).toMatchObject({ ok: true });
});

test('what is missing is named at its field', () => {
  const nothing = { ...values, room: null, who: null, repository: '' };
  expect(filterOf(nothing).problems).toEqual({ who: expect.any(String), room: expect.any(String) });
  expect(filterOf({ ...nothing, wake: 'answers' }).problems).toEqual({ who: expect.any(String) });
  expect(Object.keys(filterOf({ ...nothing, wake: 'repository' }).problems ?? {})).toEqual([
    'who',
    'repository',
  ]);
});

test("a filter of one's own is read as the relay reads it", () => {
  const own = (text: string) => filterOf({ ...values, wake: 'own', own: text });
  expect(own('{"kinds": [1, 1], "since": 5}').filter).toEqual({ kinds: [1] });
  expect(own(' ').problems?.own).toMatch(/^Write a filter/);
  expect(own('{kinds').problems?.own).toBe('This is not JSON');
  expect(own('{"kinds": [9], "search": "x"}').problems?.own).toBe('The filter has an unknown key search');
});

test('URL and secret', () => {
  expect(urlProblem(' https://worker.example/tiny ', 'public')).toBeNull();
  expect(urlProblem('http://127.0.0.1:9/', 'public')).toMatch(/https/);
  expect(urlProblem('http://127.0.0.1:9/', 'loopback')).toBeNull();
  expect(urlProblem('ftp://x.example/', 'loopback')).toMatch(/https/);
  expect(urlProblem('', 'public')).toMatch(/^Write/);
  expect(urlProblem('worker', 'public')).toMatch(/not a URL/);
  expect(secretProblem('')).toBeNull();
  expect(secretProblem('x'.repeat(16))).toBeNull();
  expect(secretProblem('x'.repeat(15))).not.toBeNull();
  expect(secretProblem(`${'x'.repeat(16)} `)).not.toBeNull();
});
