import { describe, expect, test } from 'vitest';
import { approvalRequest, settleApproval } from '../../../relay/protocol/approval.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import {
  grantProvenance,
  isGrantRequest,
  isReviewedGrant,
  parseGrantRequest,
  replaceGrant,
} from '../../../relay/protocol/grant-request.ts';
import { rootSiteLabel } from '../../../relay/protocol/site.ts';
import { hex, madeEvent } from './made.ts';

const now = 1_700_000_000;
const operator = hex('0f');
const agent = hex('a1');
const repo = hex('b2');
const label = rootSiteLabel(agent);

const base = madeEvent({
  kind: 30392,
  pubkey: operator,
  created_at: now - 100,
  content: '{"note":1}',
  tags: [
    ['d', agent],
    ['p', agent],
    ['name', 'scribe'],
    ['expiration', String(now + 5000)],
    ['room', 'general'],
    ['repo', `${repo}:tiny:read`],
    ['k', '9'],
    ['custom', 'kept'],
    ['sites', label, 'ttl=7'],
    ['rate', '30'],
    ['grant-request', hex('77')],
    ['grant-base', hex('78')],
    ['e', hex('77'), '', 'grant-request'],
  ],
});

function requestWith(changes: unknown, fields: Partial<NostrEvent> = {}): NostrEvent {
  return madeEvent({
    kind: 1111,
    pubkey: agent,
    content: 'I need it',
    tags: [
      ['E', base.id, '', operator],
      ['K', '30392'],
      ['P', operator],
      ['e', base.id, '', operator],
      ['k', '30392'],
      ['p', operator],
      ['request', 'grant'],
      ['grant', JSON.stringify({ base: base.id, changes })],
      ['subject', 'More rooms'],
    ],
    ...fields,
  });
}

function edited(change: (tags: string[][]) => string[][]): NostrEvent {
  const event = requestWith({ kinds: [1] });
  return { ...event, tags: change(event.tags) };
}

const set = (name: string, ...values: string[]) =>
  edited(tags => tags.map(tag => (tag[0] === name ? [name, ...values] : tag)));

test('a well-formed request is read', () => {
  const event = requestWith({ kinds: [1], rooms: ['build'] });
  expect(isGrantRequest(event)).toBe(true);
  expect(parseGrantRequest(event)).toEqual({
    ok: true,
    value: {
      id: event.id,
      agent,
      operator,
      base: base.id,
      changes: { kinds: [1], rooms: ['build'] },
      reason: 'I need it',
    },
  });
  expect(approvalRequest(event)).toMatchObject({ type: 'grant', asked: [operator] });
});

describe('refused', () => {
  test.each([
    ['no E', edited(tags => tags.filter(tag => tag[0] !== 'E')), /needs the E tag/],
    ['no grant', edited(tags => tags.filter(tag => tag[0] !== 'grant')), /needs the grant tag/],
    ['p twice', edited(tags => [...tags, ['p', operator]]), /repeats the p tag/],
    ['an unknown tag', edited(tags => [...tags, ['h', 'general']]), /may not carry a h tag/],
    ['e without author', set('e', base.id), /e tag/],
    ['E of another grant', set('E', hex('99'), '', operator), /E tag/],
    ['K of another kind', set('K', '1'), /K tag/],
    ['P of another key', set('P', hex('99')), /P tag/],
    ['p is the agent', set('p', agent), /operator/],
    ['no reason', requestWith({ kinds: [1] }, { content: '  ' }), /reason/],
    ['long reason', requestWith({ kinds: [1] }, { content: 'x'.repeat(501) }), /reason/],
    ['grant no JSON', set('grant', '{'), /grant tag/],
    ['another base', set('grant', JSON.stringify({ base: hex('99'), changes: {} })), /base/],
    ['an unknown change', requestWith({ name: 'other' }), /grant tag/],
    ['an unknown field', set('grant', JSON.stringify({ base: base.id, changes: {}, x: 1 })), /grant tag/],
    ['expiry cannot be asked', requestWith({ expiration: 1 }), /grant tag/],
    ['a bad kind', requestWith({ kinds: [70_000] }), /grant tag/],
    ['a bad room', requestWith({ rooms: ['No Room'] }), /grant tag/],
    ['a bad rate', requestWith({ rate: 601 }), /grant tag/],
    ['a room twice', requestWith({ rooms: ['a', 'a'] }), /a room twice/],
    [
      'a repository twice, once with blanks',
      requestWith({
        repos: [
          { owner: repo, identifier: 'x', level: 'read' },
          { owner: repo, identifier: ' x ', level: 'maintain' },
        ],
      }),
      /a repository twice/,
    ],
  ])('%s', (_, event, reason) => {
    const parsed = parseGrantRequest(event);
    expect(parsed.ok).toBe(false);
    expect(parsed.ok ? '' : parsed.refusal).toMatch(/^invalid: grant request /);
    expect(parsed.ok ? '' : parsed.refusal).toMatch(reason);
    expect(approvalRequest(event)).toBeNull();
  });
});

function replacementFor(changes: unknown) {
  const parsed = parseGrantRequest(requestWith(changes));
  if (!parsed.ok) throw new Error(parsed.refusal);
  return { request: parsed.value, replaced: replaceGrant(parsed.value, base, now) };
}

test('the replacement keeps what was not asked and carries its provenance last', () => {
  const { request, replaced } = replacementFor({
    kinds: [9, 1],
    rooms: ['general', 'build'],
    repos: [{ owner: repo, identifier: 'tiny', level: 'maintain' }],
    sites: [{ label, encrypted: true }],
    jobs: 'serve',
    rate: 90,
  });
  if (!replaced.ok) throw new Error(replaced.refusal);
  expect(replaced.value.unsigned).toEqual({
    kind: 30392,
    created_at: now,
    content: '{"note":1}',
    tags: [
      ['d', agent],
      ['p', agent],
      ['name', 'scribe'],
      ['expiration', String(now + 5000)],
      ['room', 'general'],
      ['repo', `${repo}:tiny:maintain`],
      ['k', '9'],
      ['custom', 'kept'],
      ['sites', label, 'encrypted'],
      ['rate', '90'],
      ['k', '1'],
      ['room', 'build'],
      ['jobs', 'serve'],
      ['grant-request', request.id],
      ['grant-base', base.id],
      ['e', request.id, '', 'grant-request'],
    ],
  });
  expect(replaced.value.scope).toMatchObject({
    kinds: [9, 1],
    rooms: ['general', 'build'],
    jobs: 'serve',
    rate: 90,
  });
});

test('the replacement is later than its base even when the clock is not', () => {
  const { request } = replacementFor({ kinds: [1] });
  const replaced = replaceGrant(request, { ...base, created_at: now + 50 }, now);
  expect(replaced.ok && replaced.value.unsigned.created_at).toBe(now + 51);
});

test.each([
  ['nothing', {}],
  ['what is granted already', { kinds: [9], rooms: ['general'], rate: 30 }],
  ['the same site', { sites: [{ label, ttl: 7, encrypted: false }] }],
])('a request that asks for %s is refused', (_, changes) => {
  const { replaced } = replacementFor(changes);
  expect(replaced).toMatchObject({ ok: false });
  expect(replaced.ok ? '' : replaced.refusal).toMatch(/^invalid: /);
});

test('a change the grant contract does not allow is refused', () => {
  const { replaced } = replacementFor({ sites: [{ label: rootSiteLabel(hex('99')) }] });
  expect(replaced.ok ? '' : replaced.refusal).toMatch(/^invalid: agent grant sites tag/);
});

test('only the reviewed template passes as the answer', () => {
  const { request, replaced } = replacementFor({ kinds: [1] });
  if (!replaced.ok) throw new Error(replaced.refusal);
  const { unsigned } = replaced.value;
  const signed = madeEvent({ ...unsigned, pubkey: operator });
  expect(isReviewedGrant(signed, unsigned, base)).toBe(true);
  expect(isReviewedGrant({ ...signed, content: '' }, unsigned, base)).toBe(false);
  expect(isReviewedGrant({ ...signed, tags: signed.tags.slice(1) }, unsigned, base)).toBe(false);
  expect(isReviewedGrant({ ...signed, tags: [...signed.tags, ['k', '5']] }, unsigned, base)).toBe(false);
  expect(isReviewedGrant({ ...signed, created_at: base.created_at }, unsigned, base)).toBe(false);
  expect(grantProvenance(signed)).toEqual({ request: request.id, base: base.id });
  expect(grantProvenance({ tags: [['d', agent]] })).toBeNull();
});

describe('settling a request for access', () => {
  const event = requestWith({ kinds: [1] });
  const settle = (...answers: NostrEvent[]) => {
    const request = approvalRequest(event);
    if (request === null) throw new Error('no request');
    return settleApproval(request, answers, now);
  };
  const by = (pubkey: string, kind: number, content: string, tags: string[][]) =>
    madeEvent({ pubkey, kind, content, tags, created_at: now });
  const grant = (pubkey: string) =>
    by(pubkey, 30392, '', [
      ['grant-request', event.id],
      ['e', event.id, '', 'grant-request'],
    ]);
  test("the operator's grant approves, the operator's minus denies, nothing else counts", () => {
    expect(settle(grant(operator)).answer?.decision).toBe('approved');
    expect(settle(by(operator, 7, '-', [['e', event.id]])).answer?.decision).toBe('denied');
    expect(settle(by(operator, 7, '+', [['e', event.id]]))).toEqual({ state: 'open' });
    expect(settle(by(operator, 1111, 'ok', [['e', event.id]]))).toEqual({ state: 'open' });
    expect(settle(grant(hex('99')), by(hex('99'), 7, '-', [['e', event.id]]))).toEqual({ state: 'open' });
  });
  test('the receipt of an approved request stays', () => {
    const late = by(operator, 7, '-', [['e', event.id]]);
    expect(settle(late, grant(operator)).answer?.decision).toBe('approved');
  });
});
