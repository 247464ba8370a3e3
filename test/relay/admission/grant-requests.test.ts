// Requests for more access (spec/agent-grants.md section 4): what may ask, who sees it, and which grant answers it.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import type { EventTemplate, NostrEvent } from '../../../relay/protocol/event.ts';
import { parseGrantRequest, replaceGrant } from '../../../relay/protocol/grant-request.ts';
import { Edge, person } from '../http/edge.ts';

let edge: Edge;
let agent: Signer;
let base: NostrEvent;
let now: number;

beforeEach(async () => {
  now = Math.floor(Date.now() / 1000);
  edge = await Edge.start({ now: () => now });
  agent = person();
  base = await edge.grant(
    agent.pubkey,
    [
      ['k', '9'],
      ['room', 'general'],
    ],
    { at: now - 10 },
  );
});
afterEach(() => edge.close());

function request(changes: object, more: string[][] = [], signer = agent): NostrEvent {
  const { id } = base;
  const operator = base.pubkey;
  const tags = [
    ['E', id, '', operator],
    ['e', id, '', operator],
    ...[
      ['K', '30392'],
      ['k', '30392'],
      ['P', operator],
      ['p', operator],
    ],
    ['request', 'grant'],
    ['grant', JSON.stringify({ base: id, changes })],
    ...more,
  ];
  return edge.sign(signer, { kind: 1111, tags, content: 'I need more rooms.' });
}

async function message(event: NostrEvent): Promise<string> {
  const { accepted, message } = await edge.offer(event);
  return `${accepted}: ${message}`;
}

function reviewed(event: NostrEvent): EventTemplate {
  const parsed = parseGrantRequest(event);
  if (!parsed.ok) throw new Error(parsed.refusal);
  const replacement = replaceGrant(parsed.value, base, now);
  if (!replacement.ok) throw new Error(replacement.refusal);
  return replacement.value.unsigned;
}

describe('asking', () => {
  test('an agent may ask without kind 1111 in its grant', async () => {
    expect(await message(request({ rooms: ['build'] }))).toBe('true: ');
    expect(await message(edge.sign(agent, { kind: 1111 }))).toMatch(/does not allow kind 1111/);
  });

  test('a key with a human role may not, nor a stranger', async () => {
    expect(await message(request({ rooms: ['build'] }, [], await edge.member()))).toMatch(
      /^false: restricted: only an agent/,
    );
  });

  test('one that names another base is in conflict, one that changes nothing or too much is invalid', async () => {
    expect(await message(request({ rooms: ['general'] }))).toMatch(/^false: invalid: grant request/);
    expect(await message(request({ name: 'boss' }))).toMatch(/^false: invalid:/);
    expect(await message(request({ rooms: ['build'] }, [['x', 'more']]))).toMatch(/^false: invalid:/);
    await edge.grant(agent.pubkey, [['k', '9']], { at: now - 5 });
    expect(await message(request({ rooms: ['build'] }))).toMatch(/^false: conflict:/);
  });

  test('is read by the agent and the operator alone', async () => {
    const event = request({ rooms: ['build'] });
    await edge.offer(event);
    const reads = (signer: Signer) => edge.relay.context.visibility.canRead({ keys: [signer.pubkey] }, event);
    expect([reads(agent), reads(edge.owner)]).toEqual([true, true]);
    expect([reads(await edge.member('moderator')), reads(await edge.member())]).toEqual([false, false]);
  });
});

describe('answering', () => {
  test('exactly the reviewed replacement is applied', async () => {
    const event = request({ rooms: ['build'], kinds: [7] });
    await edge.offer(event);
    const template = reviewed(event);
    const more = { ...template, tags: [...template.tags, ['k', '1']] };
    expect(await message(edge.owner.sign(more))).toMatch(/^false: invalid: the grant differs/);
    expect(await message(edge.owner.sign(template))).toBe('true: ');
    expect(edge.relay.context.store.grants.get(agent.pubkey)?.scope).toMatchObject({
      kinds: [9, 7],
      rooms: ['general', 'build'],
    });
  });

  test('a + reaction grants nothing, a - denies for good', async () => {
    const event = request({ rooms: ['build'] });
    await edge.offer(event);
    const template = reviewed(event);
    const react = (content: string) =>
      edge.publish(edge.owner, {
        kind: 7,
        tags: [
          ['e', event.id],
          ['p', agent.pubkey],
        ],
        content,
      });
    await react('+');
    expect(edge.relay.context.store.grants.get(agent.pubkey)?.scope.rooms).toEqual(['general']);
    await react('-');
    expect(await message(edge.owner.sign(template))).toMatch(
      /^false: conflict: the grant request was denied/,
    );
  });

  test('a stale base, a paused grant, an expired or unknown request are in conflict', async () => {
    const event = request({ rooms: ['build'] }, [['expiration', String(now + 30)]]);
    await edge.offer(event);
    const template = reviewed(event);
    await edge.call(edge.owner, 'pauseagent', agent.pubkey);
    expect(await message(edge.owner.sign(template))).toMatch(/^false: conflict: the grant is not active/);
    await edge.call(edge.owner, 'resumeagent', agent.pubkey);
    now += 30;
    expect(await message(edge.owner.sign(template))).toMatch(
      /^false: conflict: the grant request has expired/,
    );
    now -= 30;
    const unknown = template.tags.map(tag =>
      tag[0] === 'grant-request' ? ['grant-request', 'f'.repeat(64)] : tag,
    );
    expect(await message(edge.owner.sign({ ...template, tags: unknown }))).toMatch(
      /^false: conflict: .* not held/,
    );
    await edge.grant(agent.pubkey, [['k', '9']], { at: now });
    expect(await message(edge.owner.sign(template))).toMatch(/^false: conflict: the grant has changed/);
  });

  test('nobody but the operator answers, the agent least of all', async () => {
    const event = request({ rooms: ['build'] });
    await edge.offer(event);
    const template = reviewed(event);
    expect(await message((await edge.member('moderator')).sign(template))).toMatch(
      /^false: restricted: only the operator/,
    );
    expect(await message(agent.sign(template))).toMatch(/^false: restricted: only the owner or a moderator/);
  });
});
