// Long tasks (spec/jobs.md section 2) and native cards (spec/decisions.md 4) at publish.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { type Draft, Edge, person } from '../http/edge.ts';

let edge: Edge;
let asker: Signer;
let agent: Signer;
let request: NostrEvent;

beforeAll(async () => {
  edge = await Edge.start();
  await edge.room('general');
  await edge.room('closed', 'members');
  asker = await edge.member();
  agent = await edge.agent([
    ['jobs', 'both'],
    ['room', 'general'],
    ['rate', '600'],
  ]);
  request = await edge.publish(asker, {
    kind: 43_001,
    tags: [
      ['h', 'general'],
      ['p', agent.pubkey],
    ],
    content: 'do',
  });
});
afterAll(() => edge.close());

async function offer(signer: Signer, draft: Draft): Promise<string> {
  const { accepted, message } = await edge.offer(edge.sign(signer, draft));
  return `${accepted}: ${message}`;
}

const answering = () => [
  ['h', 'general'],
  ['e', request.id],
  ['p', asker.pubkey],
];
const without = (name: string) => answering().filter(tag => tag[0] !== name);
const instead = (name: string, value: string) => [...without(name), [name, value]];

describe('A job answer names a request the relay holds that asked the agent', () => {
  test.each([43_002, 43_003, 43_004, 43_006])('kind %i of an asked key passes', async kind => {
    expect(await offer(agent, { kind, tags: answering() })).toBe('true: ');
  });

  test.each([
    ['no e', () => without('e'), /^false: invalid: job result must name the job request in an e tag/],
    ['no p', () => without('p'), /^false: invalid: job result must name the requester in a p tag/],
    ['no h', () => without('h'), /^false: invalid: job result must keep the request's room in an h tag/],
    [
      'an unknown request',
      () => instead('e', 'a'.repeat(64)),
      /^false: restricted: job result must name a request this relay holds/,
    ],
    [
      'another p',
      () => instead('p', 'b'.repeat(64)),
      /^false: invalid: job result p tag must name the requester/,
    ],
  ])('with %s is refused', async (_, tags, reason) => {
    expect(await offer(agent, { kind: 43_004, tags: tags() })).toMatch(reason);
  });

  test('another room than the request', async () => {
    expect(await offer(edge.owner, { kind: 43_004, tags: instead('h', 'closed') })).toMatch(
      /must keep the request's room/,
    );
  });

  test('a key that was not asked, the owner included', async () => {
    expect(await offer(edge.owner, { kind: 43_004, tags: answering() })).toMatch(
      /^false: restricted: .* key the request asked/,
    );
  });

  test('an expired request is held no more', async () => {
    const soon = edge.now + 2;
    const tags = [
      ['h', 'general'],
      ['p', agent.pubkey],
      ['expiration', String(soon)],
    ];
    const short = await edge.publish(asker, { kind: 43_001, tags });
    await expect.poll(() => edge.now, { timeout: 5000 }).toBeGreaterThanOrEqual(soon);
    const answer = [
      ['h', 'general'],
      ['e', short.id],
      ['p', asker.pubkey],
    ];
    expect(await offer(agent, { kind: 43_002, tags: answer })).toMatch(
      /must name a request this relay holds/,
    );
  });
});

describe('and a job cancel a request the agent made', () => {
  test('only the requester cancels', async () => {
    const tags = [
      ['h', 'general'],
      ['e', request.id],
    ];
    expect(await offer(agent, { kind: 43_005, tags })).toBe(
      'false: restricted: only the requester may cancel a long task',
    );
    expect(await offer(asker, { kind: 43_005, tags: [...tags, ['p', 'x']] })).toMatch(
      /^false: invalid: job cancel p tag/,
    );
    expect(await offer(asker, { kind: 43_005, tags })).toBe('true: ');
  });
});

describe('a request', () => {
  test.each([
    ['no room', [['p', 'a'.repeat(64)]], /room in an h tag/],
    ['no asked key', [['h', 'general']], /at least one asked key/],
    [
      'a key that is none',
      [
        ['h', 'general'],
        ['p', 'x'],
      ],
      /hex public keys/,
    ],
    [
      'a root that is none',
      [
        ['h', 'general'],
        ['p', 'a'.repeat(64)],
        ['e', 'x'],
      ],
      /thread root/,
    ],
  ])('with %s is invalid', async (_, tags, reason) => {
    expect(await offer(asker, { kind: 43_001, tags })).toMatch(reason);
  });

  test('is for members and agents, also on an open relay', async () => {
    edge.relay.context.transact(() => edge.relay.context.setPolicy({ writes: 'open' }));
    const tags = [
      ['h', 'general'],
      ['p', agent.pubkey],
    ];
    expect(await offer(person(), { kind: 43_001, tags })).toMatch(/^false: restricted:/);
    edge.relay.context.transact(() => edge.relay.context.setPolicy({ writes: 'allowlist' }));
  });

  test('is refused when long tasks are switched off, imported or not', async () => {
    edge.relay.context.transact(() => edge.relay.context.setPolicy({ features: { jobs: false } }));
    const event = edge.sign(asker, {
      kind: 43_001,
      tags: [
        ['h', 'general'],
        ['p', agent.pubkey],
      ],
      content: 'off',
    });
    expect((await edge.offer(event)).message).toMatch(/^restricted: long tasks are switched off/);
    const imported = await edge.relay.context.admission.publish(event, { via: 'import', keys: [] });
    expect(imported.message).toMatch(/^restricted: long tasks are switched off/);
    edge.relay.context.transact(() => edge.relay.context.setPolicy({ features: { jobs: true } }));
    expect(edge.relay.context.policy().features.count).toBe(true);
  });
});

describe('native cards', () => {
  const card = [
    ...[
      ['h', 'general'],
      ['request', 'question'],
      ['tinyagent', '1'],
      ['interaction', 'question'],
    ],
    ...[
      ['selection', 'single'],
      ['option', 'a', 'Go on'],
      ['option', 'b', 'Stop'],
    ],
  ];

  test('a well formed one is an ordinary room message', async () => {
    expect(await offer(asker, { kind: 9, tags: [...card, ['p', agent.pubkey]] })).toBe('true: ');
  });

  test.each([
    ['another version', [['tinyagent', '2']]],
    ['no selection', [['selection', 'some']]],
    ['an option without a label', [['option', 'c']]],
    ['an option id twice', [['option', 'a', 'Again']]],
    ['thirteen options', Array.from({ length: 13 }, (_, index) => ['option', `o${index}`, 'x'])],
  ])('%s is refused for members, agents and import alike', async (_, change) => {
    const replaced = change.map(tag => tag[0]);
    const tags = [...card.filter(tag => tag[0] === 'option' || !replaced.includes(tag[0])), ...change];
    expect(await offer(asker, { kind: 9, tags })).toMatch(/^false: invalid: interaction /);
    const event = edge.sign(agent, { kind: 9, tags });
    const imported = await edge.relay.context.admission.publish(event, { via: 'import', keys: [] });
    expect(imported.message).toMatch(/^invalid: interaction /);
  });
});
