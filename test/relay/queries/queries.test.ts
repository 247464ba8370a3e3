import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { Edge, person } from '../http/edge.ts';

let edge: Edge;
let member: Signer;
let other: Signer;
beforeAll(async () => {
  edge = await Edge.start();
  member = await edge.member();
  other = await edge.member();
  await edge.room('general');
  await edge.room('secret', 'members');
});
afterAll(() => edge.close());

/** An hour ago: so that a test can order its events by time. */
const past = (seconds: number) => edge.now - 3600 + seconds;

describe('browsegrant', () => {
  const scope = [
    ['room', 'general'],
    ['room', 'build'],
    ['k', '9'],
    ['jobs', 'serve'],
    ['wiki', 'propose'],
    ['sites', '*', 'ttl=7', 'encrypted'],
    ['rate', '30'],
  ];

  test('describes the grant of the caller', async () => {
    const agent = await edge.agent(scope, 'scribe');
    const answer = await edge.call(agent, 'browsegrant');
    expect(answer).toEqual({
      member: true,
      role: 'agent',
      grant: {
        pubkey: agent.pubkey,
        owner: edge.owner.pubkey,
        event_id: expect.any(String),
        name: 'scribe',
        expires: expect.any(Number),
        paused: false,
        revoked: 0,
        lastEvent: 0,
        scope: {
          kinds: [9],
          rooms: ['general', 'build'],
          repos: [],
          wiki: 'propose',
          jobs: 'serve',
          sites: [{ label: '*', ttl: 7, encrypted: true }],
          rate: 30,
        },
      },
      state: 'active',
      enforced: true,
      allows: {
        kinds: [9],
        rooms: ['general', 'build'],
        repos: [],
        wiki: 'propose',
        jobs: 'serve',
        sites: [{ label: '*', ttl: 7, encrypted: true }],
      },
      rate: 30,
      expires: expect.any(Number),
    });
  });

  test('names what the grant does not cover, by the rule of the gate', async () => {
    const agent = await edge.agent(scope);
    const needs = {
      rooms: ['general', ' secret '],
      kinds: [0, 9, 10002, 22242, 12, 43002, 43001, 30818, 30819, 15128],
    };
    expect(await edge.call(agent, 'browsegrant', needs)).toMatchObject({
      missing: { rooms: ['secret'], kinds: [12, 43001, 30819] },
    });
    expect(await edge.call(agent, 'browsegrant', { rooms: [] })).toMatchObject({
      missing: { rooms: [], kinds: [] },
    });
  });

  test('a paused grant still covers what it covers', async () => {
    const agent = await edge.agent(scope);
    await edge.call(edge.owner, 'pauseagent', agent.pubkey);
    expect(await edge.call(agent, 'browsegrant', { kinds: [9] })).toMatchObject({
      state: 'paused',
      missing: { kinds: [] },
    });
  });

  test('a human role is not bound: nothing is missing', async () => {
    const answer = await edge.call(member, 'browsegrant', { rooms: ['secret'], kinds: [1] });
    expect(answer).toEqual({
      member: true,
      role: 'member',
      grant: null,
      state: 'none',
      enforced: false,
      missing: { rooms: [], kinds: [] },
    });
    expect(await edge.call(edge.owner, 'browsegrant')).toMatchObject({ role: 'owner', enforced: false });
  });

  test('a grant does not lower a human role', async () => {
    const human = await edge.member();
    await edge.grant(human.pubkey, scope);
    expect(await edge.call(human, 'browsegrant', { kinds: [1] })).toMatchObject({
      role: 'member',
      state: 'active',
      enforced: false,
      missing: { kinds: [] },
    });
  });

  test('on an open relay a key without anything hears that everything is missing', async () => {
    const open = await Edge.start({ reads: 'open' });
    try {
      const stranger = person();
      expect(await open.call(stranger, 'browsegrant', { rooms: ['general'], kinds: [1, 0] })).toEqual({
        member: false,
        role: '',
        grant: null,
        state: 'none',
        enforced: true,
        missing: { rooms: ['general'], kinds: [1, 0] },
      });
      const agent = await open.agent(scope);
      await open.call(open.owner, 'revokeagent', agent.pubkey);
      expect(await open.call(agent, 'browsegrant')).toMatchObject({
        member: false,
        role: '',
        state: 'revoked',
      });
    } finally {
      await open.close();
    }
  });

  test('refusals', async () => {
    expect(await edge.refusal(null, 'browsegrant')).toMatch(/^401 auth-required:/);
    expect(await edge.refusal(person(), 'browsegrant')).toMatch(/^403 restricted:.*members-only/);
    const many = Array.from({ length: 257 }, (_, n) => n);
    expect(await edge.refusal(member, 'browsegrant', { kinds: many })).toMatch(
      /^400 invalid:.*more than 256 entries/,
    );
    expect(await edge.refusal(member, 'browsegrant', { rooms: [' '] })).toMatch(/^400 invalid:/);
    expect(await edge.refusal(member, 'browsegrant', { kinds: [65_536] })).toMatch(/^400 invalid:/);
    expect(await edge.refusal(member, 'browsegrant', { kinds: [-1] })).toMatch(/^400 invalid:/);
    expect(await edge.refusal(member, 'browsegrant', { kinds: ['9'] })).toMatch(/^400 invalid:/);
    expect(await edge.refusal(member, 'browsegrant', 'text')).toMatch(/^400 invalid:/);
  });
});

describe('browseagent', () => {
  test('shows operators an agent and its ten newest events', async () => {
    const agent = await edge.agent([
      ['room', 'general'],
      ['k', '9'],
    ]);
    const said: NostrEvent[] = [];
    for (let n = 0; n < 12; n += 1) {
      said.push(
        await edge.publish(agent, {
          kind: 9,
          content: `${n}`,
          created_at: past(n),
          tags: [['h', 'general']],
        }),
      );
    }
    const answer = await edge.call<{ agent: object; events: NostrEvent[] }>(edge.owner, 'browseagent', {
      agent: agent.pubkey,
    });
    expect(answer.agent).toMatchObject({ pubkey: agent.pubkey, lastEvent: said[11]?.created_at });
    expect(answer.events.map(({ id }) => id)).toEqual(
      said
        .slice(2)
        .reverse()
        .map(({ id }) => id),
    );
  });
  test('refusals', async () => {
    expect(await edge.refusal(member, 'browseagent', { agent: member.pubkey })).toMatch(/^403 restricted:/);
    expect(await edge.refusal(edge.owner, 'browseagent', { agent: 'bob' })).toMatch(/^400 invalid:/);
    expect(await edge.refusal(edge.owner, 'browseagent')).toMatch(/^400 invalid:/);
    expect(await edge.refusal(edge.owner, 'browseagent', { agent: member.pubkey })).toMatch(
      /^400 not found:/,
    );
  });
});

type JobPage = { items: { id: string; state: string; status: string }[]; next_cursor: string };

describe('browsejobs and browsejob', () => {
  let worker: Signer;
  beforeAll(async () => {
    worker = await edge.agent([
      ['room', 'general'],
      ['jobs', 'both'],
    ]);
  });

  async function ask(subject: string, at: number, by = member, room = 'general'): Promise<NostrEvent> {
    const tags = [
      ['h', room],
      ['p', worker.pubkey],
      ['subject', subject],
    ];
    return edge.publish(by, { kind: 43001, content: 'do it', created_at: at, tags });
  }
  const reply = (request: NostrEvent, kind: number, at: number, content = '', more: string[][] = []) =>
    edge.publish(kind === 43005 ? member : worker, {
      kind,
      content,
      created_at: at,
      tags: [['h', 'general'], ['e', request.id], ['p', request.pubkey], ...more],
    });

  test('a task from asked to done', async () => {
    const request = await ask('Summarise', past(10));
    const item = async () =>
      (await edge.call<{ item: object }>(member, 'browsejob', { id: request.id })).item;
    expect(await item()).toMatchObject({ state: 'open', status: 'queued' });
    await reply(request, 43002, past(11));
    expect(await item()).toMatchObject({ state: 'open', status: 'accepted' });
    const progress = await reply(request, 43003, past(12), 'half way');
    expect(await item()).toMatchObject({
      status: 'running',
      progress: { id: progress.id, content: 'half way' },
    });
    const result = await reply(request, 43004, past(13), 'finished', [['r', 'https://example.org/']]);
    const whole = await edge.call<{ item: object; answers: { kind: number }[] }>(member, 'browsejob', {
      event: request.id,
    });
    expect(whole.item).toEqual({
      id: request.id,
      room: 'general',
      requester: member.pubkey,
      assignees: [worker.pubkey],
      subject: 'Summarise',
      content: 'do it',
      created_at: request.created_at,
      state: 'done',
      status: 'done',
      progress: {
        id: progress.id,
        kind: 43003,
        provider: worker.pubkey,
        content: 'half way',
        created_at: past(12),
      },
      result: {
        id: result.id,
        kind: 43004,
        provider: worker.pubkey,
        content: 'finished',
        created_at: past(13),
        artifacts: [{ type: 'r', value: 'https://example.org/' }],
      },
      event: request,
    });
    expect(whole.answers.map(({ kind }) => kind)).toEqual([43002, 43003, 43004]);
  });

  test('lists by state, own ones, and page by page', async () => {
    const fresh = await edge.member();
    const asked: NostrEvent[] = [];
    for (let n = 0; n < 5; n += 1) asked.push(await ask(`task ${n}`, past(100 + n), fresh));
    const [first, second] = asked as [NostrEvent, NostrEvent];
    await reply(first, 43004, past(200), 'ok');
    await reply(second, 43006, past(201), 'no');
    const list = (params: object) => edge.call<JobPage>(fresh, 'browsejobs', { mine: true, ...params });
    const ids = (page: JobPage) => page.items.map(({ id }) => id);
    const newestFirst = asked.map(({ id }) => id).reverse();
    expect(ids(await list({}))).toEqual(newestFirst);
    expect(ids(await list({ state: 'done' }))).toEqual([first.id]);
    expect(ids(await list({ state: 'failed' }))).toEqual([second.id]);
    expect(ids(await list({ state: 'open' }))).toEqual(newestFirst.slice(0, 3));
    expect(ids(await list({ state: 'cancelled' }))).toEqual([]);
    const pages: string[] = [];
    let cursor = '';
    do {
      const page = await list({ limit: 2, cursor });
      pages.push(...ids(page));
      cursor = page.next_cursor;
    } while (cursor !== '');
    expect(pages).toEqual(newestFirst);
    expect(
      (await edge.call<JobPage>(member, 'browsejobs', { mine: true })).items.map(({ id }) => id),
    ).not.toContain(first.id);
  });

  test('a task in a room the caller may not see is neither listed nor found', async () => {
    const request = await ask('hidden', past(300), edge.owner, 'secret');
    const page = await edge.call<JobPage>(member, 'browsejobs');
    expect(page.items.map(({ id }) => id)).not.toContain(request.id);
    expect(await edge.refusal(member, 'browsejob', { id: request.id })).toMatch(
      /^400 not found: job request/,
    );
    expect(
      (await edge.call<{ item: object }>(edge.owner, 'browsejob', { id: request.id })).item,
    ).toBeDefined();
  });

  test('refusals', async () => {
    expect(await edge.refusal(member, 'browsejobs', { state: 'late' })).toMatch(
      /^400 invalid: .*job state must be/,
    );
    expect(await edge.refusal(member, 'browsejobs', { cursor: 'x' })).toBe('400 invalid: job cursor');
    expect(await edge.refusal(member, 'browsejob', { id: 'x' })).toBe('400 invalid: job id');
    expect(await edge.refusal(member, 'browsejob')).toBe('400 invalid: job id');
    expect(await edge.refusal(member, 'browsejob', { id: '0'.repeat(64) })).toMatch(
      /^400 not found: job request/,
    );
    expect(await edge.refusal(null, 'browsejobs')).toMatch(/^401 auth-required:/);
  });

  test('the switch closes the queries', async () => {
    await edge.call(edge.owner, 'setpolicy', { features: { jobs: false } });
    for (const method of ['browsejobs', 'browsejob']) {
      expect(await edge.refusal(member, method, { id: '0'.repeat(64) })).toMatch(
        /^403 restricted: .*switched off/,
      );
    }
    await edge.call(edge.owner, 'setpolicy', { features: { jobs: true } });
    expect((await edge.call<JobPage>(member, 'browsejobs')).items.length).toBeGreaterThan(0);
  });

  test('on an open relay a guest may list, but not ask for own ones', async () => {
    const open = await Edge.start({ reads: 'open' });
    try {
      expect(await open.call(null, 'browsejobs').catch(String)).toMatch(/auth-required/);
      expect(await open.call(person(), 'browsejobs')).toEqual({ items: [], next_cursor: '' });
    } finally {
      await open.close();
    }
  });
});

type RoomAnswer = {
  room: Record<string, unknown>;
  members: Record<string, unknown>[];
  messages: NostrEvent[];
  edits: NostrEvent[];
  next_cursor: string;
};

describe('rooms', () => {
  const say = (by: Signer, content: string, at: number, tags: string[][] = [], kind = 9) =>
    edge.publish(by, { kind, content, created_at: at, tags: [['h', 'talk'], ...tags] });
  beforeAll(() => edge.room('talk'));

  test('browserooms shows what the caller may see, with its role', async () => {
    const mine = await edge.call<{ items: Record<string, unknown>[] }>(member, 'browserooms');
    expect(mine.items.map(({ id }) => id)).toEqual(['edge', 'general', 'talk']);
    const all = await edge.call<{ items: Record<string, unknown>[] }>(edge.owner, 'browserooms');
    expect(all.items.map(({ id }) => id)).toEqual(['edge', 'general', 'secret', 'talk']);
    expect(all.items[2]).toEqual({
      id: 'secret',
      name: 'Room secret',
      about: '',
      picture: '',
      access: 'members',
      created_by: edge.owner.pubkey,
      created_at: expect.any(Number),
      event_id: expect.any(String),
      members: 1,
      last_message_at: expect.any(Number),
      role: 'owner',
    });
    const first = await edge.call<{ items: { id: string }[]; next_cursor: string }>(
      edge.owner,
      'browserooms',
      { limit: 3 },
    );
    expect(first.next_cursor).toBe('secret');
    const rest = await edge.call<{ items: { id: string }[] }>(edge.owner, 'browserooms', {
      cursor: first.next_cursor,
    });
    expect(rest.items.map(({ id }) => id)).toEqual(['talk']);
  });

  test('browseroom shows messages newest first, members and edits', async () => {
    const one = await say(member, 'one', past(1));
    const two = await say(other, 'two', past(2));
    const three = await say(member, 'three', past(3), [], 11);
    await say(member, '+', past(4), [['e', one.id]], 7);
    await say(other, 'not yours', past(5), [['e', one.id]], 40003);
    await say(member, 'too early', past(0), [['e', one.id]], 40003);
    await say(member, 'one, better', past(6), [['e', one.id]], 40003);
    const edit = await say(
      member,
      'one, best',
      past(7),
      [
        ['e', two.id],
        ['e', one.id],
      ],
      40003,
    );
    const agent = await edge.agent([
      ['room', 'talk'],
      ['k', '9'],
    ]);
    await say(agent, 'beep', past(8));
    const answer = await edge.call<RoomAnswer>(member, 'browseroom', { id: 'talk' });
    expect(answer.messages.map(({ content }) => content)).toEqual(['beep', 'three', 'two', 'one']);
    expect(answer.messages[3]).toEqual(one);
    expect(answer.edits).toEqual([edit]);
    expect(answer.room).toMatchObject({ id: 'talk', role: 'member', last_message_at: past(8), members: 4 });
    expect(answer.members.map(({ role }) => role)).toEqual(['owner', 'member', 'member', 'member']);
    expect(answer.members).toContainEqual({
      pubkey: agent.pubkey,
      role: 'member',
      added_at: expect.any(Number),
      agent: true,
    });
    const page = await edge.call<RoomAnswer>(member, 'browseroom', { id: 'talk', limit: 2 });
    expect(page.next_cursor).toBe(`${three.created_at}:${three.id}`);
    const next = await edge.call<RoomAnswer>(member, 'browseroom', {
      id: 'talk',
      limit: 2,
      cursor: page.next_cursor,
    });
    expect(next.messages.map(({ content }) => content)).toEqual(['two', 'one']);
    expect(next.next_cursor).toBe('');
  });

  test('events of one second are not lost between pages', async () => {
    await edge.room('burst');
    for (let n = 0; n < 7; n += 1) {
      await edge.publish(member, { kind: 9, content: `${n}`, created_at: past(50), tags: [['h', 'burst']] });
    }
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await edge.call<RoomAnswer>(member, 'browseroom', { id: 'burst', limit: 2, cursor });
      seen.push(...page.messages.map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== '');
    expect(seen).toHaveLength(7);
    expect(seen).toEqual([...seen].sort());
  });

  test('browsethread shows the root and its replies, also when asked for a reply', async () => {
    const root = await say(member, 'root', past(20), [], 11);
    const reply = await say(other, 'reply', past(21), [['e', root.id, '', 'root']]);
    const old = await say(other, 'old form', past(22), [['e', root.id]], 12);
    await say(other, 'only mentions it', past(23), [['e', root.id, '', 'mention']]);
    const comment = await say(
      member,
      'comment',
      past(24),
      [
        ['E', root.id],
        ['K', '11'],
        ['P', root.pubkey],
        ['e', root.id],
        ['k', '11'],
        ['p', root.pubkey],
      ],
      1111,
    );
    for (const event of [root.id, reply.id]) {
      const thread = await edge.call<{ root: NostrEvent; replies: NostrEvent[] }>(member, 'browsethread', {
        id: 'talk',
        event,
      });
      expect(thread.root.id).toBe(root.id);
      expect(thread.replies.map(({ id }) => id)).toEqual([comment.id, old.id, reply.id]);
    }
    const page = { id: 'talk', event: root.id, limit: 2 };
    const first = await edge.call<{ next_cursor: string }>(member, 'browsethread', page);
    const rest = await edge.call<{ replies: NostrEvent[]; next_cursor: string }>(member, 'browsethread', {
      ...page,
      cursor: first.next_cursor,
    });
    expect(rest).toMatchObject({ replies: [{ id: reply.id }], next_cursor: '' });
  });

  test('F-21 a members-only room is closed to others, an unknown one not found', async () => {
    const event = await edge.publish(edge.owner, { kind: 9, content: 'x', tags: [['h', 'secret']] });
    expect(await edge.refusal(member, 'browseroom', { id: 'secret' })).toMatch(
      /^403 restricted: .*members-only/,
    );
    expect(await edge.refusal(member, 'browsethread', { id: 'secret', event: event.id })).toMatch(/^403 /);
    expect(await edge.refusal(member, 'browsethread', { id: 'talk', event: event.id })).toMatch(
      /^400 not found:/,
    );
    expect(await edge.refusal(member, 'browseroom', { id: 'nowhere' })).toBe('400 not found: room');
    expect(await edge.refusal(member, 'browseroom')).toBe('400 not found: room');
    expect(await edge.refusal(member, 'browseroom', { id: 'talk', cursor: '1:x' })).toMatch(
      /^400 invalid: .*cursor/,
    );
    expect(await edge.refusal(member, 'browsethread', { id: 'talk', event: 'x' })).toMatch(/^400 invalid:/);
  });
});

describe('browseprofile', () => {
  test('profile and write relays, of the caller without a key', async () => {
    const event = await edge.publish(member, { kind: 0, content: '{"name":"Ann","about":"x"}' });
    const relays = [
      ['r', 'wss://a.example/'],
      ['r', 'wss://b.example/', 'read'],
      ['r', 'wss://c.example/', 'write'],
    ];
    await edge.publish(member, { kind: 10002, tags: relays });
    const profile = {
      pubkey: member.pubkey,
      event,
      profile: { name: 'Ann', about: 'x' },
      relays: ['wss://a.example/', 'wss://c.example/'],
    };
    expect(await edge.call(member, 'browseprofile')).toEqual(profile);
    expect(await edge.call(other, 'browseprofile', { pubkey: member.pubkey })).toEqual(profile);
    expect(await edge.call(other, 'browseprofile')).toEqual({
      pubkey: other.pubkey,
      event: null,
      profile: {},
      relays: [],
    });
    await edge.publish(other, { kind: 0, content: 'no JSON' });
    expect(await edge.call(other, 'browseprofile')).toMatchObject({ profile: {} });
    expect(await edge.refusal(member, 'browseprofile', { pubkey: 'bob' })).toMatch(/^400 invalid:/);
  });
});
