import { expect, test } from 'vitest';
import { breaches } from './layers.ts';

test('every import stays inside the layers', () => {
  expect(breaches()).toEqual([]);
});
