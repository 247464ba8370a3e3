import { describe, expect, test } from 'vitest';
import { generateSecret, signerFrom } from '../../../relay/client/signer.ts';
import { parseEvent, serializeForId } from '../../../relay/protocol/parse-event.ts';
import { hasOwnId, VerifiedEvent, verifiedNow } from '../../../relay/verify/verified-event.ts';

const CAPS = { tags: 20, contentCharacters: 100 };
const signer = signerFrom(generateSecret());
const good = signer.sign({ kind: 1, created_at: 1_700_000_000, tags: [['t', 'x']], content: 'hello' });

function reason(change: object): string {
  const parsed = parseEvent({ ...good, ...change }, CAPS);
  return parsed.ok ? 'taken' : parsed.refusal;
}

describe('the fields of an event', () => {
  test('a good one comes out with its seven fields', () => {
    expect(parseEvent({ ...good }, CAPS)).toEqual({ ok: true, value: good });
  });

  test('F-24 keys NIP-01 does not know are not kept', () => {
    const parsed = parseEvent({ ...good, relay: 'x', __proto__: { evil: 1 } }, CAPS);
    expect(parsed.ok && Object.keys(parsed.value)).toEqual(Object.keys(good));
  });

  test.each(['id', 'pubkey', 'created_at', 'kind', 'tags', 'content', 'sig'])('missing %s', field => {
    const { [field as 'id']: _, ...rest } = good;
    expect(parseEvent(rest, CAPS)).toEqual({ ok: false, refusal: `invalid: missing ${field}` });
  });

  test.each([null, undefined, 1, 'text', [], [good]])('%j is no event', value => {
    expect(parseEvent(value, CAPS).ok).toBe(false);
  });

  test.each([-1, 1.5, 2 ** 53, Number.NaN, '1700000000', null])(
    'F-09 created_at %j is refused',
    created_at => {
      expect(reason({ created_at })).toBe('invalid: bad created_at');
    },
  );

  test.each([0, 2 ** 31, 2 ** 32, 1e10])('F-09 created_at %j is a time', created_at => {
    expect(reason({ created_at })).toBe('taken');
  });

  test.each([-1, 65_536, 1.5, '1', null])('kind %j is out of range', kind => {
    expect(reason({ kind })).toBe('invalid: kind out of range');
  });

  test('F-24 upper-case hex is refused', () => {
    expect(reason({ id: good.id.toUpperCase() })).toBe('invalid: bad id');
    expect(reason({ pubkey: good.pubkey.toUpperCase() })).toBe('invalid: bad pubkey');
    expect(reason({ sig: good.sig.toUpperCase() })).toBe('invalid: bad sig');
  });

  test.each([
    ['not a list', {}, 'tags must be a list'],
    ['an empty tag', [[]], 'bad tag'],
    ['a null in a tag', [['t', null]], 'bad tag'],
    ['a number in a tag', [['t', 1]], 'bad tag'],
    ['a lone surrogate', [['t', '\ud800']], 'bad tag'],
    ['too many', Array.from({ length: 21 }, () => ['t']), 'more than 20 tags'],
  ])('tags that are %s', (_, tags, text) => {
    expect(reason({ tags })).toBe(`invalid: ${text}`);
  });

  test('F-11 a lone surrogate in the content is refused', () => {
    expect(reason({ content: 'a\udfffb' })).toBe('invalid: bad content');
  });

  test('content is measured in Unicode characters', () => {
    expect(reason({ content: '🙂'.repeat(100) })).toBe('taken');
    expect(reason({ content: '🙂'.repeat(101) })).toBe('invalid: content is longer than 100 characters');
  });
});

describe('F-24 the id is the hash of the canonical text', () => {
  const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code));
  test.each([...controls, '\u007f', '\u2028', '\u2029', '🙂', '&<>', 'a/b', '"\\', 'é'])(
    'content %j',
    content => {
      const event = signer.sign({ kind: 1, created_at: 1, tags: [['t', content]], content });
      expect(hasOwnId(event)).toBe(true);
      expect(verifiedNow(event)?.event).toEqual(event);
      expect(JSON.parse(verifiedNow(event)?.json ?? '')).toEqual(event);
    },
  );

  test('only the seven escapes of NIP-01 are used for what they name', () => {
    const text = serializeForId({ ...good, tags: [], content: '\n"\\\r\t\b\f/é\u2028&' });
    expect(text.endsWith(`${String.raw`"\n\"\\\r\t\b\f/é`}\u2028&"]`)).toBe(true);
  });

  test('B-25 no character is escaped for the sake of HTML', () => {
    expect(verifiedNow(signer.sign({ ...good, content: '<a&b>' }))?.json).toContain('<a&b>');
  });
});

describe('a checked signature is a type', () => {
  test('a changed copy is not a verified event', () => {
    const verified = verifiedNow(good);
    expect(verified !== null && VerifiedEvent.isOne(verified)).toBe(true);
    expect(VerifiedEvent.isOne({ ...verified })).toBe(false);
  });

  test.each([
    ['another content', { content: 'other' }],
    ['another signature', { sig: 'ab'.repeat(64) }],
    ['a key that is no point', { pubkey: 'ff'.repeat(32) }],
  ])('%s is not verified', (_, change) => {
    expect(verifiedNow({ ...good, ...change })).toBeNull();
  });
});
