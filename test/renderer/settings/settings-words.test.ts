import { expect, test } from 'vitest';
import { noticeCategory } from '../../../main/contract/settings.ts';
import { CATEGORIES, outcomeWords, vaultWords } from '../../../renderer/settings/settings-words.ts';

test('every banner category has its switch', () => {
  expect(CATEGORIES.map(({ category }) => category).sort()).toEqual([...noticeCategory.options].sort());
});

test('E6 the test says what truly came of it', () => {
  expect(outcomeWords({ outcome: 'shown' })).toBe('Shown.');
  expect(outcomeWords({ outcome: 'suppressed', reason: 'banners of this kind are off' })).toBe(
    'Not shown: banners of this kind are off',
  );
  expect(outcomeWords({ outcome: 'failed', reason: 'the browser refuses' })).toBe(
    'Could not be shown: the browser refuses',
  );
});

test('F11 the backend is named as it is, never as it was hoped for', () => {
  const vault = { state: 'open' as const, backendName: '', fresh: false };
  expect(vaultWords({ ...vault, backend: 'passphrase' })).not.toMatch(/keychain|keyring/i);
  expect(vaultWords({ ...vault, backend: 'keychain', backendName: 'GNOME Keyring' })).toContain(
    'GNOME Keyring',
  );
  expect(vaultWords({ ...vault, backend: 'none' })).toBe('Nothing yet.');
});
