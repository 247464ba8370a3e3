// Requests to vanish (NIP-62).

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import type { Filter } from '../../../relay/protocol/event.ts';
import { type Draft, Edge, person } from '../http/edge.ts';

let edge: Edge;
let member: Signer;

beforeEach(async () => {
  edge = await Edge.start();
  member = await edge.member();
});
afterEach(() => edge.close());

async function offer(signer: Signer, draft: Draft): Promise<string> {
  const { accepted, message } = await edge.offer(edge.sign(signer, draft));
  return `${accepted}: ${message}`;
}

const held = (filter: Filter) => [...edge.relay.context.store.events.scan(filter)];

describe('a request that names this relay', () => {
  test.each([
    ['by address', () => edge.relay.url],
    ['by another spelling', () => edge.relay.url.replace('127.0.0.1', 'LOCALHOST').slice(0, -1)],
    ['with all others', () => 'ALL_RELAYS'],
  ])('%s removes everything of the key and keeps it out', async (_, relay) => {
    const now = edge.now;
    const note = await edge.publish(member, { kind: 1, created_at: now - 10, content: 'old' });
    const deleted = await edge.publish(member, { kind: 1, created_at: now - 10, content: 'deleted' });
    const deletion = await edge.publish(member, { kind: 5, created_at: now - 9, tags: [['e', deleted.id]] });
    const list = await edge.publish(member, { kind: 10_002, created_at: now - 8 });
    const others = await edge.publish(edge.owner, { kind: 1, content: 'stays' });
    edge.relay.context.transact(() => edge.relay.context.setPolicy({ openKinds: [1059] }));
    const wrap = await edge.publish(person(), {
      kind: 1059,
      created_at: now - 5,
      tags: [['p', member.pubkey]],
    });
    const request = await edge.publish(member, { kind: 62, created_at: now - 1, tags: [['relay', relay()]] });
    expect(held({ authors: [member.pubkey] })).toEqual([request]);
    expect(held({ kinds: [1059] })).toEqual([]);
    expect(held({ ids: [others.id] })).toHaveLength(1);
    for (const event of [note, deleted, deletion, list, wrap]) {
      expect((await edge.offer(event)).message).toBe('blocked: this event was deleted');
    }
    expect(await offer(member, { kind: 1, created_at: now, content: 'a new life' })).toBe('true: ');
  });

  test('cannot be deleted, and counts whatever became of the key', async () => {
    const request = await edge.publish(member, { kind: 62, tags: [['relay', 'ALL_RELAYS']] });
    await edge.publish(member, { kind: 5, created_at: edge.now + 1, tags: [['e', request.id]] });
    expect(held({ kinds: [62] })).toEqual([request]);
    const agent = await edge.agent([['k', '1']]);
    await edge.call(edge.owner, 'revokeagent', agent.pubkey);
    expect(await offer(agent, { kind: 62, tags: [['relay', 'ALL_RELAYS']] })).toBe('true: ');
  });

  test('of one who grants ends the grants, as their deletion would', async () => {
    const moderator = await edge.member('moderator');
    const agent = person();
    await edge.grant(agent.pubkey, [['k', '1']], { by: moderator });
    await edge.publish(moderator, { kind: 62, tags: [['relay', 'ALL_RELAYS']] });
    expect(edge.relay.context.store.grants.get(agent.pubkey)?.revoked).toBeGreaterThan(0);
    expect(edge.relay.context.roles.isMember(agent.pubkey)).toBe(false);
  });
});

test('one that names other relays is refused and does nothing', async () => {
  await edge.publish(member, { kind: 1, content: 'stays' });
  for (const tags of [[], [['relay', 'wss://relay.example']], [['relay', 'all_relays']]]) {
    expect(await offer(member, { kind: 62, tags })).toMatch(
      /^false: invalid: the request to vanish names other relays/,
    );
  }
  expect(held({ authors: [member.pubkey] })).toHaveLength(1);
});

test('one of a key that never was here leaves nothing', async () => {
  expect(await offer(person(), { kind: 62, tags: [['relay', 'ALL_RELAYS']] })).toMatch(
    /^true: duplicate: nothing/,
  );
  expect(held({ kinds: [62] })).toEqual([]);
});
