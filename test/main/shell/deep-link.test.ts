import { expect, test } from 'vitest';
import { addressIn, addressOf } from '../../../main/shell/deep-link.ts';

test.each([
  ['tiny:approvals/0123abcd', '#/approvals/0123abcd'],
  ['tiny://rooms/general', '#/rooms/general'],
  ['tiny:rooms/general/', '#/rooms/general'],
  ['tiny:settings', '#/settings'],
])('E2 %s opens %s', (link, address) => {
  expect(addressOf(link)).toBe(address);
});

test.each([
  'tiny:',
  'tiny:elsewhere',
  'tiny:rooms/../../etc',
  'tiny:rooms/general?x=1',
  'tiny:rooms/general#x',
  'tiny:rooms/a/b/c',
  'https://rooms/general',
  'javascript:alert(1)',
  'tiny:rooms/<script>',
])('F-61 %s opens nothing', link => {
  expect(addressOf(link)).toBeNull();
});

test('a command line holds at most one place', () => {
  expect(addressIn(['/usr/bin/tiny-desktop', '--flag', 'tiny:jobs/1', 'tiny:rooms/general'])).toBe(
    '#/jobs/1',
  );
  expect(addressIn(['/usr/bin/tiny-desktop'])).toBe('');
});
