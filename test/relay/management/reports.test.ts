// Reports (NIP-56) from the event to what an operator does about them.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import type { AuditRow } from '../../../relay/context.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { Edge, person } from '../http/edge.ts';
import { WireClient } from '../socket/wire-client.ts';

type Report = Record<string, unknown> & { id: string; target_event: string; status: string };

let edge: Edge;
let moderator: Signer;
let author: Signer;
let reporter: Signer;
beforeAll(async () => {
  edge = await Edge.start({ writes: 'open', reads: 'open' });
  moderator = await edge.member('moderator');
});
afterAll(() => edge.close());
beforeEach(async () => {
  [author, reporter] = [await edge.member(), await edge.member()];
});

let said = 0;
const say = (signer = author) => {
  said += 1;
  return edge.publish(signer, { kind: 1, content: `note ${said}` });
};
const report = (target: NostrEvent, by = reporter, type = 'spam', content = '') =>
  edge.publish(by, {
    kind: 1984,
    content,
    tags: [
      ['e', target.id, type],
      ['p', target.pubkey],
    ],
  });
const list = (status?: string) =>
  edge.call<Report[]>(moderator, 'listreports', ...(status === undefined ? [] : [status]));
const resolve = (id: string, action: string, by = moderator) => edge.call(by, 'resolvereport', id, action);
const held = (event: NostrEvent) => edge.relay.context.store.events.get(event.id) !== null;
const find = async (id: string, status?: string) => (await list(status)).find(row => row.id === id);

test('a report is listed with its fields until it is resolved', async () => {
  const note = await say();
  const made = await report(note, reporter, 'illegal', '  look at this  ');
  expect(await find(made.id)).toEqual({
    id: made.id,
    reporter: reporter.pubkey,
    target_event: note.id,
    target_pubkey: author.pubkey,
    type: 'illegal',
    content: 'look at this',
    at: expect.any(Number),
    status: 'open',
    resolved_by: '',
    resolved_at: 0,
    action: '',
  });
  expect(await resolve(made.id, 'dismiss')).toEqual({ resolved: made.id, action: 'dismiss' });
  expect(await find(made.id)).toBeUndefined();
  expect(await find(made.id, 'resolved')).toMatchObject({
    status: 'resolved',
    resolved_by: moderator.pubkey,
    action: 'dismiss',
  });
  expect(await find(made.id, 'all')).toBeDefined();
  expect(held(note)).toBe(true);
  const [row] = await edge.call<AuditRow[]>(edge.owner, 'listaudit');
  expect(row).toMatchObject({ action: 'resolvereport', target: made.id, detail: 'dismiss' });
});

test('delete takes the event for good, ban its id, and both settle every report of it', async () => {
  for (const action of ['delete', 'ban']) {
    const note = await say();
    const [one, two] = [await report(note), await report(note, await edge.member())];
    await resolve(one.id, action);
    expect(held(note)).toBe(false);
    expect((await edge.offer(note)).message).toMatch(/^blocked:/);
    expect(await find(two.id, 'resolved')).toMatchObject({ action });
    expect(await edge.refusal(moderator, 'resolvereport', two.id, action)).toMatch(/^400 invalid:/);
  }
  const banned = await edge.call<{ id: string }[]>(moderator, 'listbannedevents');
  expect(banned).toHaveLength(1);
});

test('a report of a key alone: ban shuts the key out, delete has nothing to delete', async () => {
  const note = await say();
  const made = await edge.publish(reporter, { kind: 1984, tags: [['p', author.pubkey, 'impersonation']] });
  expect(await find(made.id)).toMatchObject({ target_event: '', type: 'impersonation' });
  expect(await edge.refusal(moderator, 'resolvereport', made.id, 'delete')).toMatch(/^400 invalid:/);
  await resolve(made.id, 'ban');
  expect(edge.relay.context.store.members.isBanned(author.pubkey)).toBe(true);
  expect(held(note)).toBe(false);
});

test('a moderator cannot turn reports against the owner or other moderators', async () => {
  const note = await say(edge.owner);
  const made = await report(note);
  expect(await edge.refusal(moderator, 'resolvereport', made.id, 'ban')).toMatch(
    /^403 restricted: only the owner/,
  );
  const other = await edge.member('moderator');
  const about = await edge.publish(reporter, { kind: 1984, tags: [['p', other.pubkey, 'spam']] });
  expect(await edge.refusal(moderator, 'resolvereport', about.id, 'ban')).toMatch(
    /^403 restricted: only the owner/,
  );
  expect(await edge.refusal(reporter, 'listreports')).toBe('403 restricted: member may not listreports');
  expect(await edge.refusal(moderator, 'resolvereport', 'x', 'ban')).toMatch(/^400 not found:/);
  expect(await edge.refusal(moderator, 'resolvereport', made.id, 'burn')).toMatch(/^400 invalid:/);
  expect(await edge.refusal(moderator, 'listreports', 'odd')).toMatch(/^400 invalid:/);
});

test('a report must name a key, and one taken back by its author is gone', async () => {
  const bare = edge.sign(reporter, { kind: 1984, tags: [['e', 'a'.repeat(64), 'spam']] });
  expect((await edge.offer(bare)).message).toMatch(/^invalid: a report must name/);
  const made = await report(await say());
  await edge.publish(reporter, { kind: 5, tags: [['e', made.id]] });
  expect(await find(made.id, 'all')).toBeUndefined();
});

test('listeventsneedingmoderation names what is here and reported, once, and allowevent settles it', async () => {
  const note = await say();
  await report(note, reporter, 'spam', 'again');
  await report(note, await edge.member(), 'spam', 'yes');
  const waiting = () => edge.call<{ id: string; reason: string }[]>(moderator, 'listeventsneedingmoderation');
  expect((await waiting()).filter(({ id }) => id === note.id)).toEqual([
    { id: note.id, reason: expect.stringMatching(/^spam: (again|yes)$/) },
  ]);
  expect(await edge.call(moderator, 'allowevent', note.id)).toBe(true);
  expect((await waiting()).map(({ id }) => id)).not.toContain(note.id);
  expect(held(note)).toBe(true);
});

describe('reportThreshold', () => {
  beforeEach(() => edge.call(edge.owner, 'setpolicy', { reportThreshold: 2 }));

  const seen = async (signer: Signer | null, note: NostrEvent) => {
    const client = await WireClient.open(edge.relay.url, signer === null ? [] : signer);
    const { events } = await client.ask({ ids: [note.id] });
    const count = await client.count({ ids: [note.id] });
    client.close();
    return [events.length, count];
  };

  test('hides what members have reported that often, until somebody has looked', async () => {
    const note = await say();
    const first = await report(note);
    expect(await seen(reporter, note)).toEqual([1, 1]);
    await report(note);
    expect(await seen(reporter, note)).toEqual([1, 1]);
    await report(note, await edge.member());
    expect(await seen(reporter, note)).toEqual([0, 0]);
    expect(await seen(null, note)).toEqual([0, 0]);
    for (const reader of [author, moderator, edge.owner]) expect(await seen(reader, note)).toEqual([1, 1]);
    await resolve(first.id, 'dismiss');
    expect(await seen(reporter, note)).toEqual([1, 1]);
  });

  test('keys anybody can make hide nothing, nor do agents', async () => {
    const note = await say();
    for (let n = 0; n < 3; n += 1) await report(note, person());
    const agent = await edge.agent([['k', '1984']]);
    await report(note, agent);
    await report(note);
    expect(await seen(reporter, note)).toEqual([1, 1]);
  });
});
