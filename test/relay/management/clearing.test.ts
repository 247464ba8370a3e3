// Keeping kinds for some days, purging, and taking single events away (spec/management.md section 5).

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import type { AuditRow } from '../../../relay/context.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import type { SqliteStore } from '../../../relay/store/store.ts';
import { clearAged } from '../../../relay/upkeep.ts';
import { Edge } from '../http/edge.ts';

const DAY = 86_400;
let edge: Edge;
let member: Signer;
beforeAll(async () => {
  edge = await Edge.start();
  member = await edge.member();
});
afterAll(() => edge.close());

let made = 0;
const note = (days: number, kind = 1, by = member) => {
  made += 1;
  return edge.publish(by, { kind, content: `note ${made}`, created_at: edge.now - days * DAY - 1 });
};
const held = (event: NostrEvent) => edge.relay.context.store.events.get(event.id) !== null;
const newest = async () => (await edge.call<AuditRow[]>(edge.owner, 'listaudit'))[0];

describe('retention', () => {
  test('what is older goes, what comes later that old is refused, and the rest stays', async () => {
    const [old, young] = [await note(10), await note(1)];
    expect(await edge.call(edge.owner, 'setretention', 1, 7)).toEqual({ kind: 1, days: 7 });
    expect(await newest()).toMatchObject({ action: 'setretention', target: '1', detail: '7' });
    expect(await edge.call(edge.owner, 'listretention')).toEqual([{ kind: 1, days: 7 }]);
    const late = edge.sign(member, { kind: 1, created_at: edge.now - 8 * DAY });
    expect((await edge.offer(late)).message).toBe('blocked: events of kind 1 are kept for 7 days');
    clearAged(edge.relay.context.store as SqliteStore, edge.now);
    expect([held(old), held(young)]).toEqual([false, true]);
    expect(await edge.call(edge.owner, 'setretention', 1, null)).toEqual({ kind: 1, days: null });
    expect((await edge.offer(late)).accepted).toBe(true);
  });

  test('only the owner sets it, in whole days, and never for what says how the relay stands', async () => {
    const moderator = await edge.member('moderator');
    expect(await edge.refusal(moderator, 'setretention', 1, 7)).toMatch(/^403 restricted: moderator may not/);
    expect(await edge.call(moderator, 'listretention')).toEqual([]);
    for (const days of [0, -1, 1.5, 'week']) {
      expect(await edge.refusal(edge.owner, 'setretention', 1, days)).toMatch(/^400 invalid:/);
    }
    for (const kind of [5, 62, 9000, 9007, 9022, 13534, 30392, 39000]) {
      expect(await edge.refusal(edge.owner, 'setretention', kind, 7)).toMatch(/^400 invalid: events of kind/);
      expect(await edge.refusal(edge.owner, 'purgekind', kind)).toMatch(/^400 invalid: events of kind/);
    }
  });
});

describe('purgekind', () => {
  test('removes the kind, however many there are, or only what is older', async () => {
    const [old, young] = [await note(40, 11), await note(1, 11)];
    expect(await edge.call(edge.owner, 'purgekind', 11, 30)).toEqual({ deleted: 1 });
    expect([held(old), held(young)]).toEqual([false, true]);
    for (let n = 0; n < 450; n += 1) await note(n % 3, 7);
    expect(await edge.call(edge.owner, 'purgekind', 7)).toEqual({ deleted: 450 });
    expect(held(young)).toBe(true);
    expect(await newest()).toMatchObject({ action: 'purgekind', target: '7' });
  });

  test('of all kinds leaves grants, rooms, members and deletions', async () => {
    await edge.room('general');
    const agent = await edge.agent([['k', '1']]);
    const gone = await note(3);
    const deletion = await edge.publish(member, { kind: 5, tags: [['e', (await note(1)).id]] });
    const { deleted } = await edge.call<{ deleted: number }>(edge.owner, 'purgekind', null);
    expect(deleted).toBeGreaterThan(0);
    expect([held(gone), held(deletion)]).toEqual([false, true]);
    const { store, read } = edge.relay.context;
    const reader = { keys: [edge.owner.pubkey] };
    const left = await read(reader, [{ kinds: [30392, 39000, 13534, 9007] }]);
    const kinds = 'events' in left ? left.events.map(({ kind }) => kind) : [];
    expect(new Set(kinds)).toEqual(new Set([30392, 39000, 13534, 9007]));
    expect(store.grants.get(agent.pubkey)?.revoked).toBe(0);
    const { events } = await edge.call<{ events: number }>(edge.owner, 'stats');
    expect(await edge.call(edge.owner, 'purgekind', null)).toEqual({ deleted: 0 });
    expect((await edge.call<{ events: number }>(edge.owner, 'storagestats')).events).toBe(events);
  });

  test('is for the owner alone', async () => {
    expect(await edge.refusal(await edge.member('moderator'), 'purgekind', 1)).toMatch(/^403 restricted:/);
  });
});

describe('single events', () => {
  test('deleteevent takes one for good; the owner is out of reach of moderators', async () => {
    const moderator = await edge.member('moderator');
    const [one, own] = [await note(1), await note(1, 1, edge.owner)];
    expect(await edge.call(moderator, 'deleteevent', one.id, 'off topic')).toEqual({ deleted: one.id });
    expect(await newest()).toMatchObject({ action: 'deleteevent', target: one.id, detail: 'off topic' });
    expect((await edge.offer(one)).message).toBe('blocked: this event was deleted');
    expect(await edge.refusal(moderator, 'deleteevent', own.id)).toMatch(/^403 restricted:/);
    expect(await edge.refusal(moderator, 'deleteevent', one.id)).toMatch(/^400 not found:/);
    expect(await edge.refusal(moderator, 'deleteevent', 'x')).toMatch(/^400 invalid: bad event id/);
    const roster = edge.relay.context.store.events.current(`13534:${edge.relay.self}:`);
    expect(await edge.refusal(edge.owner, 'deleteevent', roster?.id)).toMatch(
      /^400 invalid: records of the relay/,
    );
  });

  test.each(['deleteevent', 'banevent'])('%s of a grant ends the grant', async method => {
    const agent = await edge.agent([['k', '1']]);
    const { grants } = edge.relay.context.store;
    await edge.call(edge.owner, method, grants.get(agent.pubkey)?.event_id);
    expect(grants.get(agent.pubkey)?.revoked).toBeGreaterThan(0);
    expect(edge.relay.context.roles.roleOf(agent.pubkey)).toBe('');
  });

  test('listrecentevents and searchevents show what the caller may see', async () => {
    const [first, second] = [await note(0), await note(0)];
    const ids = async (...call: [string, ...unknown[]]) =>
      (await edge.call<NostrEvent[]>(edge.owner, ...call)).map(({ id }) => id);
    expect(await ids('listrecentevents')).toEqual(expect.arrayContaining([first.id, second.id]));
    expect(await ids('listrecentevents', 1)).toHaveLength(1);
    const rare = await edge.publish(member, { kind: 1, content: 'A zebra crossed the "street" -- AND went' });
    expect(await ids('searchevents', 'zebra')).toEqual([rare.id]);
    expect(await ids('searchevents', 'zebra" OR note*')).toEqual([]);
    expect(await edge.refusal(edge.owner, 'searchevents')).toMatch(/^400 invalid:/);
    expect(await edge.refusal(member, 'listrecentevents')).toMatch(/^403 restricted:/);
  });

  test('stats count events, bytes, people and connections', async () => {
    expect(await edge.call(edge.owner, 'stats')).toEqual({
      events: expect.any(Number),
      bytes: expect.any(Number),
      members: expect.any(Number),
      rooms: 2,
      agents: expect.any(Number),
      connections: 0,
      subscriptions: 0,
    });
  });
});
