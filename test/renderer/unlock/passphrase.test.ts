import { expect, test } from 'vitest';
import { app } from '../../../main/contract/app.ts';
import { passphraseProblem, secondProblem } from '../../../renderer/unlock/passphrase.ts';

test('the page asks for what main will take, no more and no less', () => {
  for (const text of ['', 'short', '12345678', 'x'.repeat(1024), 'x'.repeat(1025)]) {
    const taken = app.calls.unlock.args.safeParse({ passphrase: text }).success;
    expect(passphraseProblem(text) === null).toBe(taken);
  }
});

test('a new passphrase is typed twice', () => {
  expect(secondProblem('a long one', '')).toBe('Type it a second time');
  expect(secondProblem('a long one', 'another one')).toBe('The two are not the same');
  expect(secondProblem('a long one', 'a long one')).toBeNull();
});
