// Approvals against a real relay: every way a request is answered, and every way it can be too late.

import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Approvals, createApprovals } from '../../main/approvals.ts';
import { CallFailure } from '../../main/bridge.ts';
import type { ApprovalView } from '../../main/contract/approvals.ts';
import type { Handlers } from '../../main/contract/features.ts';
import type { RelayLink } from '../../main/relay-link.ts';
import { createRooms, type Rooms } from '../../main/rooms.ts';
import { startWorld, type World } from './world.ts';

let world: World;
let approvals: Approvals;
let rooms: Rooms;
let scribe: RelayLink;
const page = { page: 'test' };
beforeAll(async () => {
  world = await startWorld();
  const store = new Map<string, number>();
  const readTo = {
    get: (room: string) => store.get(room) ?? 0,
    set: (room: string, to: number) => void store.set(room, to),
  };
  rooms = createRooms({ ...world.common, readTo });
  await rooms.ensureGeneral();
  scribe = await world.agent();
  approvals = open();
});
afterAll(async () => {
  await approvals.close();
  rooms.close();
  await world.stop();
});
afterEach(() => expect(world.failures).toEqual([]));

function open(): Approvals {
  const nameOf = (pubkey: string) => (pubkey === world.owner ? 'You' : 'Somebody');
  return createApprovals({
    ...world.common,
    file: join(world.folder, 'approvals.json'),
    nameOf,
    permissionsOf: () => null,
  });
}
type Args<C extends keyof Handlers<'approvals'>> = Parameters<Handlers<'approvals'>[C]>[0];
const decide = async (args: Args<'decide'>) => approvals.handlers.decide(args, page);
const get = async (id: string) => (await approvals.handlers.get({ id }, page)).item;
const failureOf = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => null,
    each => each,
  );
  expect(error).toBeInstanceOf(CallFailure);
  return (error as CallFailure).failure;
};

async function ask(tags: string[][], content = 'Go on?', by: RelayLink = scribe): Promise<ApprovalView> {
  const event = await by.publish({ kind: 9, tags: [['h', 'general'], ['p', world.owner], ...tags], content });
  return world.until('approvals.changed', view => view.id === event.id);
}
const soon = (seconds: number) => String(Math.floor(Date.now() / 1000) + seconds);

test('an ordinary request is approved or denied by one reaction', async () => {
  const one = await ask([
    ['request', 'approve'],
    ['subject', 'Publish 1.4'],
  ]);
  expect(one).toMatchObject({
    type: 'approve',
    subject: 'Publish 1.4',
    state: 'open',
    complete: true,
    room: 'general',
  });
  const approved = await decide({ id: one.id, decision: 'approve', from: 'tray' });
  expect(approved.answer).toMatchObject({ decision: 'approved', author: world.owner, from: 'tray' });
  const two = await ask([['request', 'decide']]);
  expect((await decide({ id: two.id, decision: 'deny', from: 'dashboard' })).answer?.decision).toBe('denied');
});

test('D21 F-55 somebody else who was asked answered first: the person is told who and when', async () => {
  const other = await world.member();
  const asked = await ask([
    ['request', 'approve'],
    ['p', other.owner],
  ]);
  await other.publish({
    kind: 7,
    tags: [
      ['e', asked.id],
      ['p', asked.asker],
      ['h', 'general'],
    ],
    content: '-',
  });
  const failure = await failureOf(decide({ id: asked.id, decision: 'approve', from: 'banner' }));
  expect(failure.kind).toBe('conflict');
  expect(failure.message).toMatch(/^Denied by Somebody at \d\d:\d\d:\d\d\.$/);
  await world.until('approvals.changed', view => view.id === asked.id && view.state === 'answered');
});

test('E8 a double press is one event, and the same press later changes nothing', async () => {
  const asked = await ask([['request', 'approve']]);
  const press = () => decide({ id: asked.id, decision: 'approve', from: 'banner' });
  const [one, two] = await Promise.all([press(), press()]);
  expect(one.answer?.id).toBe(two.answer?.id);
  expect((await failureOf(press())).message).toMatch(/^Approved by you at .* from the banner\.$/);
  const reactions = await world.link.query([{ kinds: [7], '#e': [asked.id] }]);
  expect(reactions.length).toBe(1);
});

test('F-55 an expired request refuses every answer and says so', async () => {
  const asked = await ask([
    ['request', 'approve'],
    ['expiration', soon(2)],
  ]);
  expect(asked.state).toBe('open');
  const expired = await world.until(
    'approvals.changed',
    view => view.id === asked.id && view.state === 'expired',
  );
  expect(expired.reason).toBe('Nobody answered in time');
  const failure = await failureOf(decide({ id: asked.id, decision: 'approve', from: 'dashboard' }));
  expect(failure).toMatchObject({ kind: 'conflict', message: 'It expired: Nobody answered in time.' });
  expect(await world.link.query([{ kinds: [7], '#e': [asked.id] }])).toEqual([]);
});

test('D12 F-55 taken back by its agent, it reads withdrawn with the reason, also in a new start of main', async () => {
  const asked = await ask([['request', 'approve']]);
  await scribe.publish({
    kind: 5,
    tags: [
      ['e', asked.id],
      ['k', '9'],
    ],
    content: 'the run was cancelled',
  });
  const view = await world.until(
    'approvals.changed',
    each => each.id === asked.id && each.state === 'withdrawn',
  );
  expect(view.reason).toBe('the run was cancelled');
  expect((await failureOf(decide({ id: asked.id, decision: 'approve', from: 'dashboard' }))).kind).toBe(
    'conflict',
  );

  await approvals.close();
  approvals = open();
  expect((await get(asked.id)).state).toBe('withdrawn');
});

test('D12 D8 what was taken back while main was away is found out at the next start', async () => {
  const asked = await ask([['request', 'approve']]);
  const kept = await ask([['request', 'approve']]);
  await approvals.close();
  await scribe.publish({
    kind: 5,
    tags: [
      ['e', asked.id],
      ['k', '9'],
    ],
    content: '',
  });
  approvals = open();
  const gone = await world.until(
    'approvals.changed',
    view => view.id === asked.id && view.state === 'withdrawn',
  );
  expect(gone.reason).toContain('Somebody took it back');
  expect((await get(kept.id)).state).toBe('open');
});

test('F-55 the grant was revoked: what its agent asked waits for nothing', async () => {
  const asked = await ask([['request', 'approve']]);
  approvals.withdrawAll(scribe.owner, "The agent's grant was revoked");
  const failure = await failureOf(decide({ id: asked.id, decision: 'approve', from: 'dashboard' }));
  expect(failure.message).toBe("It was withdrawn: The agent's grant was revoked.");
  expect(approvals.open().filter(view => view.asker === scribe.owner)).toEqual([]);
});

test('D5 a request with nothing to read cannot be approved, but denied', async () => {
  const asked = await ask(
    [
      ['request', 'approve'],
      ['tool', 'execute'],
    ],
    'cut on its w',
  );
  expect(asked.complete).toBe(false);
  expect((await failureOf(decide({ id: asked.id, decision: 'approve', from: 'dashboard' }))).kind).toBe(
    'invalid',
  );
  expect((await decide({ id: asked.id, decision: 'deny', from: 'dashboard' })).answer?.decision).toBe(
    'denied',
  );
});

test('a question is answered in words', async () => {
  const asked = await ask([['request', 'question']], 'Which colour?');
  expect((await failureOf(decide({ id: asked.id, decision: 'approve', from: 'dashboard' }))).kind).toBe(
    'invalid',
  );
  const answered = await approvals.handlers.reply({ id: asked.id, content: 'Green' }, page);
  expect(answered.answer).toMatchObject({ decision: 'replied', content: 'Green' });
});

test('words do not take the decision away: the newest yes or no counts', async () => {
  const asked = await ask([['request', 'approve']]);
  const replied = await approvals.handlers.reply({ id: asked.id, content: 'What is this for?' }, page);
  expect(replied).toMatchObject({ state: 'answered', answer: { decision: 'replied' } });
  const decided = await decide({ id: asked.id, decision: 'deny', from: 'dashboard' });
  expect(decided.answer?.decision).toBe('denied');
  const late = async () => approvals.handlers.reply({ id: asked.id, content: 'Too late' }, page);
  expect((await failureOf(late())).message).toMatch(/^Denied by you/);
});

const card = (selection: string, more: string[][] = []) => [
  ['request', 'question'],
  ['tinyagent', '1'],
  ['interaction', 'question'],
  ['selection', selection],
  ...more,
];
const options = [
  ['option', 'go', 'Go on'],
  ['option', 'stop', 'Stop here'],
];

test.each([
  ['single', card('single', options), { choices: ['go'], text: '' }, 'go'],
  ['multiple', card('multiple', options), { choices: ['go', 'stop'], text: '' }, '["go","stop"]'],
  ['text', card('text'), { choices: [], text: 'As you like' }, 'As you like'],
  [
    'words beside options',
    card('single', [...options, ['freeform', 'true']]),
    { choices: [], text: 'Later' },
    '{"text":"Later"}',
  ],
  [
    'a choice with words',
    card('single', [...options, ['freeform', 'true']]),
    { choices: ['stop'], text: 'Review it' },
    '{"choices":["stop"],"text":"Review it"}',
  ],
])('a native card takes its answer: %s', async (_, tags, given, content) => {
  const asked = await ask(tags);
  const answered = await approvals.handlers.answer({ id: asked.id, ...given }, page);
  expect(answered).toMatchObject({ state: 'answered', answer: { decision: 'replied', content } });
});

test('a native card refuses what it did not offer', async () => {
  const asked = await ask(card('single', options));
  const answer = async (choices: string[], text = '') =>
    approvals.handlers.answer({ id: asked.id, choices, text }, page);
  expect((await failureOf(answer(['other']))).kind).toBe('invalid');
  expect((await failureOf(answer(['go', 'stop']))).kind).toBe('invalid');
  expect((await failureOf(answer([]))).kind).toBe('invalid');
  expect((await failureOf(decide({ id: asked.id, decision: 'approve', from: 'dashboard' }))).kind).toBe(
    'invalid',
  );
  expect((await get(asked.id)).state).toBe('open');
});

test('an access request is approved by exactly the reviewed grant, and denied by a minus', async () => {
  const request = async () => {
    await world.grants.refresh();
    const base = world.grants.get(scribe.owner)!.event_id;
    const tags = [
      ['E', base, '', world.owner],
      ['K', '30392'],
      ['P', world.owner],
      ['e', base, '', world.owner],
      ['k', '30392'],
      ['p', world.owner],
      ['request', 'grant'],
      ['grant', JSON.stringify({ base, changes: { kinds: [30023] } })],
    ];
    const event = await scribe.publish({ kind: 1111, tags, content: 'To publish the notes' });
    return world.until('approvals.changed', view => view.id === event.id);
  };
  const denied = await request();
  expect(denied.type).toBe('grant');
  expect(denied.grant?.before.scope.kinds).not.toContain(30023);
  expect(denied.grant?.after.scope.kinds).toContain(30023);
  expect((await decide({ id: denied.id, decision: 'deny', from: 'dashboard' })).answer?.decision).toBe(
    'denied',
  );

  const wanted = await request();
  const approved = await decide({ id: wanted.id, decision: 'approve', from: 'dashboard' });
  expect(approved.answer?.decision).toBe('approved');
  await world.grants.refresh();
  expect(world.grants.get(scribe.owner)?.scope.kinds).toContain(30023);
});

test('after the relay was restarted requests go on where they stood', async () => {
  const asked = await ask([['request', 'approve']]);
  await world.restartRelay();
  const answered = await retried(() => decide({ id: asked.id, decision: 'approve', from: 'dashboard' }));
  expect(answered.answer?.decision).toBe('approved');
  const next = await retried(() => ask([['request', 'approve']], 'And now?'));
  expect(next.state).toBe('open');
});

/** The connection is remade by itself; until then a press is told that the relay does not answer. */
async function retried<T>(task: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await task();
    } catch (error) {
      if (!(error instanceof CallFailure) || error.failure.kind !== 'unavailable') throw error;
      await new Promise(resolve => setTimeout(resolve, 50));
    }
  }
}

test('D16 asked again without a job behind it, the agent is asked in their room to put its question anew, once', async () => {
  const asked = await ask([
    ['request', 'approve'],
    ['subject', 'Ship it'],
    ['expiration', soon(1)],
  ]);
  const again = () => approvals.handlers.askAgain({ id: asked.id }, page);
  expect((await failureOf(Promise.resolve().then(again))).kind).toBe('conflict');
  await world.until('approvals.changed', view => view.id === asked.id && view.state === 'expired');
  const [one, two] = await Promise.all([again(), again()]);
  expect(one.again).toEqual(two.again);
  expect(one.again).toMatchObject({ job: false });
  const [message] = await world.link.query([{ ids: [one.again?.event ?? ''] }]);
  expect(message?.content).toContain('"Ship it" expired before I answered it');
  expect(message?.tags).toContainEqual(['p', asked.asker]);
  expect(message?.tags).toContainEqual(['e', asked.id, '', 'root']);
  expect((await failureOf(Promise.resolve().then(again))).message).toBe('It was asked again already.');
});
