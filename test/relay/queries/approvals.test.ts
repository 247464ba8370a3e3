import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { Edge, person } from '../http/edge.ts';

type Item = Record<string, unknown> & { id: string; state: string; event: NostrEvent };
type Page = { items: Item[]; next_cursor: string; counts: object; oldest_open: number; devices: unknown[] };

let edge: Edge;
let agent: Signer;
let ann: Signer;
beforeAll(async () => {
  edge = await Edge.start();
  await edge.room('general');
  agent = await edge.agent([
    ['room', 'general'],
    ['k', '9'],
    ['k', '1111'],
    ['k', '5'],
    ['rate', '600'],
  ]);
});
afterAll(() => edge.close());
beforeEach(async () => {
  ann = await edge.member();
});

const past = (seconds: number) => edge.now - 3600 + seconds;

function ask(content: string, at: number, more: string[][] = [], by = agent): Promise<NostrEvent> {
  const tags = [['h', 'general'], ['request', 'approve'], ['p', ann.pubkey], ...more];
  return edge.publish(by, { kind: 9, content, created_at: at, tags });
}

const react = (by: Signer, request: NostrEvent, content: string, at = edge.now) =>
  edge.publish(by, {
    kind: 7,
    content,
    created_at: at,
    tags: [
      ['e', request.id],
      ['p', request.pubkey],
      ['k', String(request.kind)],
      ['h', 'general'],
    ],
  });

const list = (params: object = {}, by = ann) => edge.call<Page>(by, 'browseapprovals', params);
const detail = (id: string, by = ann) =>
  edge.call<{ item: Item; answers: NostrEvent[] }>(by, 'browseapproval', { id });

test('a request addressed to the caller, in its whole shape', async () => {
  const request = await ask('Publish release notes 1.4?', past(1), [
    ['subject', 'Release notes'],
    ['expiration', String(edge.now + 600)],
    ['a', `30617:${edge.owner.pubkey}:tinyrelay`],
  ]);
  expect(await list()).toEqual({
    items: [
      {
        id: request.id,
        kind: 9,
        type: 'approve',
        asker: agent.pubkey,
        asked: [ann.pubkey],
        subject: 'Release notes',
        content: 'Publish release notes 1.4?',
        created_at: past(1),
        expires: expect.any(Number),
        state: 'open',
        room: 'general',
        about: {
          coordinate: `30617:${edge.owner.pubkey}:tinyrelay`,
          url: expect.stringContaining('/a/30617'),
        },
        event: request,
      },
    ],
    next_cursor: '',
    counts: { open: 1, answered: 0, expired: 0 },
    oldest_open: past(1),
    devices: [],
  });
});

test('approved and denied, with who and when', async () => {
  const yes = await ask('yes?', past(1));
  const no = await ask('no?', past(2));
  const approval = await react(ann, yes, '+', past(10));
  await react(ann, no, '-', past(11));
  expect((await detail(yes.id)).item).toMatchObject({
    state: 'answered',
    answer: {
      id: approval.id,
      kind: 7,
      author: ann.pubkey,
      decision: 'approved',
      content: '+',
      created_at: past(10),
    },
  });
  expect((await detail(no.id)).item).toMatchObject({ answer: { decision: 'denied' } });
  expect(await list()).toMatchObject({ counts: { open: 0, answered: 2, expired: 0 }, oldest_open: 0 });
});

test('only the asked decide; the newest decision counts; a reply counts without one', async () => {
  const bob = await edge.member();
  const request = await ask('two of you', past(1), [['p', bob.pubkey]]);
  await react(await edge.member(), request, '+');
  expect((await detail(request.id)).item.state).toBe('open');
  const words = await edge.publish(ann, {
    kind: 1111,
    content: 'Which file?',
    created_at: past(5),
    tags: [
      ['h', 'general'],
      ['E', request.id],
      ['K', '9'],
      ['P', agent.pubkey],
      ['e', request.id],
      ['k', '9'],
      ['p', agent.pubkey],
    ],
  });
  expect((await detail(request.id)).item).toMatchObject({
    answer: { decision: 'replied', content: 'Which file?' },
  });
  const first = await react(ann, request, '+', past(6));
  const second = await react(bob, request, '-', past(7));
  const { item, answers } = await detail(request.id, bob);
  expect(item).toMatchObject({ answer: { decision: 'denied', author: bob.pubkey } });
  expect(answers.map(({ id }) => id)).toEqual([second.id, first.id, words.id]);
});

test('lists by state and page by page, counting everything', async () => {
  const asked: NostrEvent[] = [];
  for (let n = 0; n < 5; n += 1) asked.push(await ask(`${n}`, past(n)));
  await react(ann, asked[1] as NostrEvent, '+');
  const ids = (page: Page) => page.items.map(({ id }) => id);
  const newestFirst = asked.map(({ id }) => id).reverse();
  expect(ids(await list())).toEqual(newestFirst);
  expect(ids(await list({ state: 'answered' }))).toEqual([asked[1]?.id]);
  const open = newestFirst.filter(id => id !== asked[1]?.id);
  const seen: string[] = [];
  let cursor = '';
  do {
    const page = await list({ state: 'open', limit: 3, cursor });
    expect(page.counts).toEqual({ open: 4, answered: 1, expired: 0 });
    expect(page.oldest_open).toBe(past(0));
    seen.push(...ids(page));
    cursor = page.next_cursor;
  } while (cursor !== '');
  expect(seen).toEqual(open);
  expect(ids(await list({ limit: 0 }))).toEqual(newestFirst);
});

test('an ordinary message, a request of the caller and one to others are not listed', async () => {
  await edge.publish(agent, {
    kind: 9,
    content: 'hi',
    tags: [
      ['h', 'general'],
      ['p', ann.pubkey],
    ],
  });
  await edge.publish(ann, {
    kind: 9,
    content: 'mine',
    tags: [
      ['h', 'general'],
      ['request', 'approve'],
      ['p', agent.pubkey],
      ['p', ann.pubkey],
    ],
  });
  await edge.publish(agent, {
    kind: 9,
    content: 'for the owner',
    tags: [
      ['h', 'general'],
      ['request', 'approve'],
      ['p', edge.owner.pubkey],
    ],
  });
  expect(await list()).toMatchObject({ items: [], counts: { open: 0, answered: 0, expired: 0 } });
});

test('a native card shows its options and is settled by a valid reply only', async () => {
  const card = await ask('Go on?', past(1), [
    ['request', 'question'],
    ['tinyagent', '1'],
    ['interaction', 'question'],
    ['selection', 'single'],
    ['freeform', 'true'],
    ['option', 'continue', 'Continue playing'],
    ['option', 'stop', 'Stop here'],
  ]);
  expect((await detail(card.id)).item).toMatchObject({
    interaction: 'question',
    selection: 'single',
    freeform: true,
    options: [
      { id: 'continue', label: 'Continue playing' },
      { id: 'stop', label: 'Stop here' },
    ],
  });
  const answer = (content: string, at: number) =>
    edge.publish(ann, {
      kind: 1111,
      content,
      created_at: at,
      tags: [
        ['h', 'general'],
        ['E', card.id],
        ['K', '9'],
        ['P', agent.pubkey],
        ['e', card.id],
        ['k', '9'],
        ['p', agent.pubkey],
      ],
    });
  await react(ann, card, '+');
  await answer('never', past(5));
  expect((await detail(card.id)).item.state).toBe('open');
  await answer('{"choices":["stop"],"text":"The run needs review."}', past(6));
  expect((await detail(card.id)).item).toMatchObject({
    state: 'answered',
    answer: { decision: 'replied', content: '{"choices":["stop"],"text":"The run needs review."}' },
  });
});

test('a request withdrawn by its author disappears', async () => {
  const request = await ask('withdrawn', past(1));
  await edge.publish(agent, {
    kind: 5,
    tags: [
      ['e', request.id],
      ['k', '9'],
    ],
  });
  expect((await list()).items).toEqual([]);
  expect(await edge.refusal(ann, 'browseapproval', { id: request.id })).toMatch(/^400 not found: request/);
});

describe('refusals', () => {
  test('who may read one', async () => {
    const request = await ask('private matter', past(1));
    expect((await detail(request.id, agent)).item.id).toBe(request.id);
    const other = await edge.member();
    expect(await edge.refusal(other, 'browseapproval', { id: request.id })).toMatch(/^403 restricted:/);
    expect(await edge.refusal(edge.owner, 'browseapproval', { id: request.id })).toMatch(/^403 restricted:/);
    const message = await edge.publish(agent, {
      kind: 9,
      content: 'hi',
      tags: [
        ['h', 'general'],
        ['p', ann.pubkey],
      ],
    });
    expect(await edge.refusal(ann, 'browseapproval', { id: message.id })).toMatch(/^400 not found: request/);
  });
  test('bad parameters', async () => {
    expect(await edge.refusal(ann, 'browseapprovals', { state: 'late' })).toMatch(
      /^400 invalid: .*approval state/,
    );
    expect(await edge.refusal(ann, 'browseapprovals', { cursor: '5' })).toMatch(/^400 invalid: .*cursor/);
    expect(await edge.refusal(ann, 'browseapproval', { id: 'x' })).toBe('400 invalid: approval id');
    expect(await edge.refusal(null, 'browseapprovals')).toMatch(/^401 auth-required:/);
    expect(await edge.refusal(person(), 'browseapprovals')).toMatch(/^403 restricted:.*members-only/);
  });
});

describe('requests for more access', () => {
  async function requestBy(
    by: Signer,
    base: NostrEvent,
    changes: object,
    at = edge.now,
  ): Promise<NostrEvent> {
    const operator = edge.owner.pubkey;
    return edge.publish(by, {
      kind: 1111,
      content: 'I need the build room',
      created_at: at,
      tags: [
        ['E', base.id, '', operator],
        ['K', '30392'],
        ['P', operator],
        ['e', base.id, '', operator],
        ['k', '30392'],
        ['p', operator],
        ['request', 'grant'],
        ['grant', JSON.stringify({ base: base.id, changes })],
      ],
    });
  }

  type Review = {
    request_id: string;
    before: { scope: object };
    after: { scope: object };
    unsigned: NostrEvent;
  };

  test('shows the grant before and after with the replacement, which the operator signs', async () => {
    const asker = person();
    const base = await edge.grant(
      asker.pubkey,
      [
        ['room', 'general'],
        ['k', '9'],
      ],
      { at: past(0) },
    );
    const request = await requestBy(asker, base, { rooms: ['build'], kinds: [12] });
    const { item } = await detail(request.id, edge.owner);
    expect(item).toMatchObject({ type: 'grant', state: 'open', asked: [edge.owner.pubkey] });
    const review = item.grant as Review;
    expect(review).toMatchObject({
      request_id: request.id,
      base: base.id,
      agent: asker.pubkey,
      operator: edge.owner.pubkey,
      before: { scope: { kinds: [9], rooms: ['general'] } },
      after: { scope: { kinds: [9, 12], rooms: ['general', 'build'] } },
    });
    await edge.publish(edge.owner, review.unsigned);
    expect((await detail(request.id, edge.owner)).item).toMatchObject({
      state: 'answered',
      answer: { decision: 'approved', kind: 30392 },
    });
    expect(await edge.call(asker, 'browsegrant', { rooms: ['build'], kinds: [12] })).toMatchObject({
      missing: { rooms: [], kinds: [] },
    });
  });

  test('the receipt of an approved request stays readable after the grant is edited again', async () => {
    const asker = person();
    const base = await edge.grant(asker.pubkey, [['k', '9']], { at: past(0) });
    const request = await requestBy(asker, base, { kinds: [12] });
    const { item } = await detail(request.id, edge.owner);
    const approval = await edge.publish(edge.owner, (item.grant as Review).unsigned);
    const edited = await edge.grant(asker.pubkey, [['k', '1']], { at: approval.created_at + 1 });
    expect(edge.relay.context.store.events.get(approval.id)).toBeNull();
    const receipt = {
      state: 'answered',
      answer: { id: approval.id, kind: 30392, author: edge.owner.pubkey, decision: 'approved' },
    };
    expect((await detail(request.id, edge.owner)).item).toMatchObject(receipt);
    expect((await detail(request.id, asker)).answers.map(({ id }) => id)).toEqual([approval.id]);
    await edge.call(edge.owner, 'revokeagent', asker.pubkey);
    expect((await detail(request.id, edge.owner)).item).toMatchObject(receipt);
    expect(edge.relay.context.store.grants.get(asker.pubkey)?.event_id).toBe(edited.id);
    const { items } = await list({ state: 'answered' }, edge.owner);
    expect(items.find(({ id }) => id === request.id)).toMatchObject(receipt);
  });

  test('is visible to the agent and the operator alone', async () => {
    const asker = person();
    const base = await edge.grant(asker.pubkey, [['k', '9']], { at: past(0) });
    const request = await requestBy(asker, base, { kinds: [1] });
    const moderator = await edge.member('moderator');
    expect((await detail(request.id, asker)).item.id).toBe(request.id);
    expect(await edge.refusal(moderator, 'browseapproval', { id: request.id })).toMatch(/^400 not found:/);
    expect(await edge.refusal(ann, 'browseapproval', { id: request.id })).toMatch(/^400 not found:/);
  });

  test('a minus denies it for good, a plus does nothing', async () => {
    const asker = person();
    const base = await edge.grant(asker.pubkey, [['k', '9']], { at: past(0) });
    const request = await requestBy(asker, base, { kinds: [1] });
    const { item } = await detail(request.id, edge.owner);
    const answer = (content: string) =>
      edge.publish(edge.owner, {
        kind: 7,
        content,
        tags: [
          ['e', request.id],
          ['p', asker.pubkey],
          ['k', '1111'],
        ],
      });
    await answer('+');
    expect((await detail(request.id, edge.owner)).item.state).toBe('open');
    await answer('-');
    expect((await detail(request.id, edge.owner)).item).toMatchObject({ answer: { decision: 'denied' } });
    const signed = edge.sign(edge.owner, (item.grant as Review).unsigned);
    expect((await edge.offer(signed)).message).toMatch(/^conflict:/);
  });

  test('a request against an older grant reads expired and says why', async () => {
    const asker = person();
    const base = await edge.grant(asker.pubkey, [['k', '9']], { at: past(0) });
    const request = await requestBy(asker, base, { kinds: [1] });
    await edge.grant(
      asker.pubkey,
      [
        ['k', '9'],
        ['k', '11'],
      ],
      { at: past(1) },
    );
    const { item } = await detail(request.id, edge.owner);
    expect(item).toMatchObject({ state: 'expired', grant_error: expect.stringMatching(/^conflict:/) });
    expect(item).not.toHaveProperty('grant');
  });
});
