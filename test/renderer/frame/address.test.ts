import { expect, test } from 'vitest';
import { address, parseAddress } from '../../../renderer/frame/address.ts';
import { windowTitle } from '../../../renderer/frame/window-title.ts';

test('an address reads as it was written', () => {
  expect(parseAddress('#/rooms/general/abc')).toEqual(['rooms', 'general', 'abc']);
  expect(parseAddress(address('rooms', 'a b/c'))).toEqual(['rooms', 'a b/c']);
  expect(parseAddress('')).toEqual([]);
  expect(parseAddress('#elsewhere')).toEqual([]);
  expect(parseAddress('#/rooms/100%')).toEqual(['rooms', '100%']);
});

test('the title of the window counts what waits', () => {
  expect(windowTitle('general', 0)).toBe('general - Tiny');
  expect(windowTitle('general', 2)).toBe('(2) general - Tiny');
  expect(windowTitle('', 1)).toBe('(1) Tiny');
});
