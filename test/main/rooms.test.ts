// Rooms and jobs as the dashboard asks for them, against a real relay.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { CallFailure } from '../../main/bridge.ts';
import { createJobs, type Jobs } from '../../main/jobs.ts';
import { createPeople, type People } from '../../main/people.ts';
import type { RelayLink } from '../../main/relay-link.ts';
import { createRooms, type Rooms } from '../../main/rooms.ts';
import { startWorld, type World } from './world.ts';

let world: World;
let rooms: Rooms;
let jobs: Jobs;
let people: People;
let friend: RelayLink;
let scribe: RelayLink;
const page = { page: 'test' };
const positions = new Map<string, number>();
beforeAll(async () => {
  world = await startWorld();
  const readTo = {
    get: (room: string) => positions.get(room) ?? 0,
    set: (room: string, to: number) => void positions.set(room, to),
  };
  rooms = createRooms({ ...world.common, readTo });
  const agents = { serving: () => null, handlers: { cancel: () => ({}) } };
  jobs = createJobs({ ...world.common, agents: agents as never });
  people = createPeople({ ...world.common, grants: world.grants });
  await Promise.all([rooms.ensureGeneral(), rooms.ensureGeneral().catch(() => {})]);
  friend = await world.member();
  scribe = await world.agent();
});
afterAll(async () => {
  rooms.close();
  jobs.close();
  people.close();
  await world.stop();
});
afterEach(() => expect(world.failures).toEqual([]));

const roomOf = async (id: string) => (await rooms.handlers.list({}, page)).find(room => room.id === id);
const send = async (content: string, more: { root?: string; mentions?: string[] } = {}) =>
  rooms.handlers.send({ id: 'general', content, mentions: [], ...more }, page);

test('the first room is made once, and the list says whose it is', async () => {
  await rooms.ensureGeneral();
  const general = await roomOf('general');
  expect(general).toMatchObject({ name: 'general', access: 'open', role: 'owner', unread: 0 });
  const created = await world.link.query([{ kinds: [9007] }]);
  expect(created.length).toBeLessThanOrEqual(2);
});

test('a message, its reply, its edit and a reaction come back on its page and live', async () => {
  const root = await send('Good morning', { mentions: [friend.owner] });
  expect(root.tags).toContainEqual(['p', friend.owner]);
  const reply = await friend.publish({
    kind: 9,
    tags: [
      ['h', 'general'],
      ['e', root.id, '', 'root'],
    ],
    content: 'To you as well',
  });
  await world.until('rooms.event', ({ room, event }) => room === 'general' && event.id === reply.id);
  const answer = await send('Thanks', { root: root.id });
  const edit = await rooms.handlers.edit({ id: 'general', event: answer.id, content: 'Thank you' }, page);
  await rooms.handlers.react({ id: 'general', event: reply.id, author: friend.owner, content: '+' }, page);

  const open = await rooms.handlers.open({ id: 'general' }, page);
  expect(open.messages.map(event => event.id)).toEqual(
    expect.arrayContaining([root.id, reply.id, answer.id]),
  );
  expect(open.edits.map(event => event.id)).toEqual([edit.id]);
  expect(open.reactions.map(event => event.content)).toEqual(['+']);
  const thread = await rooms.handlers.thread({ id: 'general', event: reply.id }, page);
  expect(thread.root.id).toBe(root.id);
  expect(thread.replies.map(event => event.id).sort()).toEqual([reply.id, answer.id].sort());
});

test('a reaction without a room is told where its message is', async () => {
  const message = await send('React to me');
  const reaction = await friend.publish({
    kind: 7,
    tags: [
      ['e', message.id],
      ['p', world.owner],
    ],
    content: '+',
  });
  const told = await world.until('rooms.event', ({ event }) => event.id === reaction.id);
  expect(told.room).toBe('general');
});

test('unread counts what others wrote since the person read, and reading clears it', async () => {
  const message = await friend.publish({ kind: 9, tags: [['h', 'general']], content: 'Are you there?' });
  await world.until('rooms.changed', list => (list.find(room => room.id === 'general')?.unread ?? 0) > 0);
  await send('My own words are not unread');
  rooms.handlers.read({ id: 'general', to: message.created_at + 5 }, page);
  await world.until('rooms.changed', list => {
    const general = list.find(room => room.id === 'general');
    return general?.unread === 0 && general.readTo === message.created_at + 5;
  });
});

test('one removes their own words by a deletion and those of others as the owner of the room', async () => {
  const own = await send('Mine');
  const theirs = await friend.publish({ kind: 9, tags: [['h', 'general']], content: 'Theirs' });
  await rooms.handlers.remove({ id: 'general', event: own.id, author: world.owner }, page);
  await rooms.handlers.remove({ id: 'general', event: theirs.id, author: friend.owner }, page);
  const left = await world.link.query([{ ids: [own.id, theirs.id] }]);
  expect(left).toEqual([]);
});

test('a room is made, changed, given members and taken away', async () => {
  const made = await rooms.handlers.create({ id: 'work', name: 'Work', about: '', access: 'members' }, page);
  expect(made).toMatchObject({ id: 'work', access: 'members', role: 'owner', members: 1 });
  await rooms.handlers.addMember({ id: 'work', pubkey: friend.owner, role: 'admin' }, page);
  const { members } = await rooms.handlers.open({ id: 'work' }, page);
  expect(members.find(member => member.pubkey === friend.owner)?.role).toBe('admin');
  const changed = await rooms.handlers.change(
    { id: 'work', name: 'Works', about: 'All of it', access: 'open' },
    page,
  );
  expect(changed).toMatchObject({ name: 'Works', about: 'All of it', access: 'open' });
  await rooms.handlers.removeMember({ id: 'work', pubkey: friend.owner }, page);
  await rooms.handlers.delete({ id: 'work' }, page);
  expect(await roomOf('work')).toBe(undefined);
});

test('what the relay refuses comes back as a refusal with its own words', async () => {
  const call = async () => rooms.handlers.send({ id: 'nowhere', content: 'Hello', mentions: [] }, page);
  const error: CallFailure = await call().then(
    () => expect.fail('it was taken'),
    each => each,
  );
  expect(error).toBeInstanceOf(CallFailure);
  expect(error.failure.kind).toBe('refused');
  expect(error.failure.details).toMatch(/^invalid: .*nowhere/);
});

test('the same words said twice in one second are two messages', async () => {
  const [one, two] = await Promise.all([send('ok'), send('ok')]);
  expect(one.id).not.toBe(two.id);
});

test('typing is live only', async () => {
  await friend.publish({ kind: 20002, tags: [['h', 'general']], content: 'start' });
  const told = await world.until('rooms.presence', push => push.pubkey === friend.owner);
  expect(told).toMatchObject({ room: 'general', kind: 20002, content: 'start' });
});

test('people have their names from grants, profiles and membership', async () => {
  const named = new Promise<void>(resolve => {
    people.onChange(all => all.some(party => party.name === 'Ada') && resolve());
  });
  await friend.publish({ kind: 0, tags: [], content: '{"name":"Ada"}' });
  await named;
  const list = people.list();
  expect(list.find(party => party.pubkey === world.owner)).toMatchObject({
    name: 'You',
    me: true,
    agent: false,
  });
  expect(list.find(party => party.pubkey === scribe.owner)).toMatchObject({ name: 'Scribe', agent: true });
});

test('a job runs from asked to done as its events say, and is told of at each step', async () => {
  const asked = await jobs.handlers.request(
    { room: 'general', assignees: [scribe.owner], subject: 'Summary', content: 'Sum it up' },
    page,
  );
  expect(asked).toMatchObject({
    state: 'open',
    status: 'queued',
    requester: world.owner,
    subject: 'Summary',
  });
  const tags = [
    ['h', 'general'],
    ['e', asked.id],
    ['p', world.owner],
  ];
  await scribe.publish({ kind: 43002, tags, content: '' });
  await world.until('jobs.changed', job => job.id === asked.id && job.status === 'accepted');
  // Of two answers of one second the relay takes the lower id for the newer.
  const later = Math.floor(Date.now() / 1000) + 1;
  await scribe.publish({ kind: 43003, tags, content: 'half way', created_at: later });
  await world.until('jobs.changed', job => job.id === asked.id && job.progress?.content === 'half way');
  await scribe.publish({
    kind: 43004,
    tags: [...tags, ['r', 'https://example.com/']],
    content: 'Here it is',
    created_at: later,
  });
  const done = await world.until('jobs.changed', job => job.id === asked.id && job.state === 'done');
  expect(done.result?.artifacts).toEqual([{ type: 'r', value: 'https://example.com/' }]);
  const { answers } = await jobs.handlers.get({ id: asked.id }, page);
  expect(answers.map(answer => answer.kind)).toEqual([43002, 43003, 43004]);
  const list = await jobs.handlers.list({ state: 'done', room: 'general', agent: scribe.owner }, page);
  expect(list.items.map(job => job.id)).toContain(asked.id);
  const other = await jobs.handlers.list({ state: 'all', room: 'work' }, page);
  expect(other.items).toEqual([]);
});

test('a job is cancelled by whoever asked for it, and without words it is not asked at all', async () => {
  const job = { room: 'general', assignees: [scribe.owner], subject: '', content: 'Never mind' };
  const asked = await jobs.handlers.request(job, page);
  expect((await jobs.handlers.cancel({ id: asked.id }, page)).state).toBe('cancelled');
  const empty = (async () => jobs.handlers.request({ ...job, content: ' ' }, page))();
  await expect(empty).rejects.toMatchObject({
    failure: { kind: 'invalid', fields: { content: expect.any(String) } },
  });
});

test('when the connection comes back the pages are told that they may be stale', async () => {
  await world.restartRelay();
  await world.until('rooms.stale', () => true);
  const after = await friendly(() => send('Back again'));
  expect(after.content).toBe('Back again');
});

async function friendly<T>(task: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await task();
    } catch (error) {
      if (!(error instanceof CallFailure) || error.failure.kind !== 'unavailable') throw error;
      await new Promise(resolve => setTimeout(resolve, 50));
    }
  }
}
