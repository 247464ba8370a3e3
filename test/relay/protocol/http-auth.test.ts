import { describe, expect, test } from 'vitest';
import { decodeProof, proofRefusal } from '../../../relay/protocol/http-auth.ts';
import { hex, madeEvent } from './made.ts';

const now = 1_700_000_000;
const bodyHash = hex('5a');
const request = {
  method: 'POST',
  path: '/manage/rpc?a=1&b=2',
  isOurUrl: (url: string) => /^(https?|wss?):\/\/(127\.0\.0\.1|localhost):7447\//i.test(url),
  bodyHash,
};

type Changes = Record<string, string | null>;

function proof(changes: Changes = {}, fields: { kind?: number; created_at?: number } = {}) {
  const tags: Changes = {
    u: 'http://127.0.0.1:7447/manage/rpc?a=1&b=2',
    method: 'POST',
    payload: bodyHash,
    nonce: 'x',
    ...changes,
  };
  const list = Object.entries(tags).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  return madeEvent({ kind: 27235, created_at: now, tags: list, ...fields });
}

describe('F-40 what fits a request', () => {
  test.each([
    ['as sent', {}],
    ['another of our names', { u: 'http://localhost:7447/manage/rpc?a=1&b=2' }],
    ['scheme and host in another case', { u: 'HTTP://LOCALHOST:7447/manage/rpc?a=1&b=2' }],
    ['the address as ws', { u: 'ws://127.0.0.1:7447/manage/rpc?a=1&b=2' }],
    ['method in lower case', { method: 'post' }],
  ] as [string, Changes][])('%s', (_, changes) => {
    expect(proofRefusal(proof(changes), request, now)).toBeNull();
  });
  test.each([
    ['another host', { u: 'http://evil.test/manage/rpc?a=1&b=2' }, /another URL/],
    ['another path', { u: 'http://127.0.0.1:7447/other?a=1&b=2' }, /another URL/],
    ['path in another case', { u: 'http://127.0.0.1:7447/Manage/rpc?a=1&b=2' }, /another URL/],
    ['a slash more', { u: 'http://127.0.0.1:7447/manage/rpc/?a=1&b=2' }, /another URL/],
    ['no query', { u: 'http://127.0.0.1:7447/manage/rpc' }, /another URL/],
    ['query in another order', { u: 'http://127.0.0.1:7447/manage/rpc?b=2&a=1' }, /another URL/],
    ['a fragment', { u: 'http://127.0.0.1:7447/manage/rpc?a=1&b=2#x' }, /another URL/],
    ['a user', { u: 'http://me@127.0.0.1:7447/manage/rpc?a=1&b=2' }, /another URL/],
    ['no URL', { u: null }, /another URL/],
    ['no scheme', { u: '127.0.0.1:7447/manage/rpc?a=1&b=2' }, /another URL/],
    ['another method', { method: 'GET' }, /another method/],
    ['no method', { method: null }, /another method/],
    ['another body', { payload: hex('00') }, /payload hash mismatch/],
    ['no payload on a body', { payload: null }, /payload tag is missing/],
  ] as [string, Changes, RegExp][])('not with %s', (_, changes, reason) => {
    const refusal = proofRefusal(proof(changes), request, now);
    expect(refusal).toMatch(/^auth-required: /);
    expect(refusal).toMatch(reason);
  });
  test('the clock may differ by sixty seconds', () => {
    for (const created_at of [now - 60, now + 60]) {
      expect(proofRefusal(proof({}, { created_at }), request, now)).toBeNull();
    }
    for (const created_at of [now - 61, now + 61]) {
      expect(proofRefusal(proof({}, { created_at }), request, now)).toMatch(/expired/);
    }
  });
  test('another kind is no proof', () => {
    expect(proofRefusal(proof({}, { kind: 22242 }), request, now)).toMatch(/kind 27235/);
  });
  test('a second u tag is not a choice', () => {
    const double = proof();
    double.tags.push(['u', 'http://evil.test/']);
    expect(proofRefusal(double, request, now)).toMatch(/another URL/);
  });
  test('without a body no payload is needed', () => {
    expect(proofRefusal(proof({ payload: null }), { ...request, bodyHash: null }, now)).toBeNull();
  });
  test('the root may be signed with and without its slash', () => {
    const root = { ...request, path: '/', isOurUrl: (url: string) => url.startsWith('http://h') };
    expect(proofRefusal(proof({ u: 'http://h/' }), root, now)).toBeNull();
    expect(proofRefusal(proof({ u: 'http://h' }), root, now)).toBeNull();
  });
});

describe('the header', () => {
  const event = { kind: 27235, content: 'ü>?ÿ' };
  const bytes = Buffer.from(JSON.stringify(event));
  test.each([
    ['base64', bytes.toString('base64')],
    ['unpadded base64', bytes.toString('base64').replaceAll('=', '')],
    ['URL base64', bytes.toString('base64url')],
    ['padded URL base64', `${bytes.toString('base64url')}==`],
  ])('%s is read', (_, token) => {
    expect(decodeProof(`Nostr ${token}`)).toEqual({ event });
  });
  test.each([undefined, ''])('%j is missing', header => {
    expect(decodeProof(header)).toMatchObject({ refusal: expect.stringMatching(/^auth-required: missing/) });
  });
  test.each([
    'Nostr',
    'Nostr ',
    'Bearer abc',
    'Nostr a',
    'Nostr !!!!',
    'Nostr e30=x',
    'Nostr /w==',
    'Basic e30=',
  ])('%j is malformed', header => {
    expect(decodeProof(header)).toMatchObject({ refusal: 'auth-required: malformed token' });
  });
});
