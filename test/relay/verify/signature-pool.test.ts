import { afterAll, expect, test } from 'vitest';
import { generateSecret, signerFrom } from '../../../relay/client/signer.ts';
import { SignaturePool } from '../../../relay/verify/signature-pool.ts';

const pool = new SignaturePool(2);
afterAll(() => pool.close());

const signer = signerFrom(generateSecret());
const events = Array.from({ length: 300 }, (_, index) =>
  signer.sign({ kind: 1, created_at: index, tags: [], content: '' }),
);

test('each check gets its own answer, however many are asked at once', async () => {
  const asked = events.map((event, index) =>
    index % 3 === 0 ? { ...event, sig: events[index + 1]?.sig ?? '' } : event,
  );
  const answers = await Promise.all(asked.map(event => pool.check(event)));
  expect(answers).toEqual(events.map((_, index) => index % 3 !== 0));
});

test.each([
  ['a key that is no point of the curve', { pubkey: 'f'.repeat(64) }],
  ['a signature out of range', { sig: 'f'.repeat(128) }],
  ['zeros', { id: '0'.repeat(64), pubkey: '0'.repeat(64), sig: '0'.repeat(128) }],
])('%s is not good, and ends no thread', async (_, change) => {
  expect(await pool.check({ ...events[0]!, ...change })).toBe(false);
  expect(await pool.check(events[0]!)).toBe(true);
});

test('a closed pool refuses instead of leaving anybody waiting', async () => {
  const closing = new SignaturePool(1);
  const asked = events.map(event => closing.check(event).catch((error: Error) => error.message));
  await closing.close();
  const answers = new Set(await Promise.all(asked));
  expect([...answers].every(answer => answer === true || answer === 'signature pool is closed')).toBe(true);
  await expect(closing.check(events[0]!)).rejects.toThrow('closed');
});
