import { inspect } from 'node:util';
import { nsecEncode } from 'nostr-tools/nip19';
import { getPublicKey, verifyEvent } from 'nostr-tools/pure';
import { expect, test } from 'vitest';
import { nip98Header } from '../../../relay/client/http-proof.ts';
import { receivedEvent } from '../../../relay/client/received-event.ts';
import { generateSecret, parseSecret, signerFrom } from '../../../relay/client/signer.ts';

const secret = generateSecret();
const hex = Buffer.from(secret).toString('hex');

test('signs events that another implementation accepts', () => {
  const signer = signerFrom(secret);
  const event = signer.sign({ kind: 1, created_at: 5, tags: [['t', 'é "\\ \u2028']], content: 'a\nb\u0007' });
  expect(signer.pubkey).toBe(getPublicKey(secret));
  expect(verifyEvent({ ...event })).toBe(true);
  expect(receivedEvent(event)).toEqual(event);
});

test('reads a secret from hex and nsec and from nothing else', () => {
  expect(parseSecret(hex)).toEqual(secret);
  expect(parseSecret(` ${hex.toUpperCase()}\n`)).toEqual(secret);
  expect(parseSecret(nsecEncode(secret))).toEqual(secret);
  for (const text of ['', 'nsec1', `${hex}00`, hex.slice(1), '0'.repeat(64), 'f'.repeat(64), 'npub1xyz']) {
    expect(parseSecret(text), text).toBeNull();
  }
});

test('F6 a signer shows no secret when it is printed or serialised, and keeps its own copy', () => {
  const given = Uint8Array.from(secret);
  const signer = signerFrom(given);
  given.fill(0);
  expect(verifyEvent({ ...signer.sign({ kind: 1, created_at: 1, tags: [], content: '' }) })).toBe(true);
  const shown = inspect(signer, { depth: 10, showHidden: true }) + JSON.stringify(signer);
  expect(shown).not.toContain(hex);
});

test('refuses bytes that are no secret key', () => {
  expect(() => signerFrom(new Uint8Array(32))).toThrow(TypeError);
  expect(() => signerFrom(new Uint8Array(31).fill(1))).toThrow(TypeError);
});

test('two proofs for one request differ', () => {
  const signer = signerFrom(secret);
  const one = nip98Header(signer, 'http://127.0.0.1:1/x', 'POST', '{}');
  expect(nip98Header(signer, 'http://127.0.0.1:1/x', 'POST', '{}')).not.toBe(one);
});
