import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Signer } from '../../../relay/client/signer.ts';
import type { EventTemplate, NostrEvent } from '../../../relay/protocol/event.ts';
import { Edge } from '../http/edge.ts';
import { McpCaller } from './mcp-client.ts';

let edge: Edge;
let owner: McpCaller;
let member: McpCaller;
const open: McpCaller[] = [];

async function callerFor(signer: Signer): Promise<McpCaller> {
  const caller = await McpCaller.connect(edge.relay.http, signer);
  open.push(caller);
  return caller;
}

beforeAll(async () => {
  edge = await Edge.start();
  await edge.room('general');
  owner = await callerFor(edge.owner);
  member = await callerFor(await edge.member());
});
afterAll(async () => {
  for (const caller of open) await caller.close();
  await edge.close();
});

const stored = (id: string): NostrEvent => {
  const event = edge.relay.context.store.events.get(id);
  if (event === null) throw new Error(`${id} is not stored`);
  return event;
};

describe('sign and resubmit', () => {
  test('plain fields answer the template and what comes next; nothing is published', async () => {
    const { pubkey } = edge.owner;
    const answer = await member.done('post_message', {
      room: 'general',
      content: 'hello',
      mentions: [pubkey],
    });
    expect(answer).toEqual({
      unsigned: {
        kind: 9,
        created_at: expect.any(Number),
        tags: [
          ['h', 'general'],
          ['p', pubkey],
        ],
        content: 'hello',
      },
      next: expect.stringContaining('post_message'),
    });
    const { messages } = await member.done<{ messages: unknown[] }>('read_room', { room: 'general' });
    expect(messages).toEqual([]);
  });

  test('with the signed event it goes through the ordinary gate, repeats included', async () => {
    const args = { room: 'general', content: 'hello' };
    const { unsigned } = await member.done<{ unsigned: EventTemplate }>('post_message', args);
    const event = member.signer.sign(unsigned);
    const receipt = { accepted: true, event_id: event.id };
    expect(await member.done('post_message', { ...args, event })).toEqual({ ...receipt, message: '' });
    const again = await member.done('post_message', { event });
    expect(again).toEqual({ ...receipt, message: expect.stringMatching(/^duplicate:/) });
  });

  test('another kind, other tags and malformed events name what was expected', async () => {
    const args = { room: 'general', content: 'x' };
    const { unsigned } = await member.done<{ unsigned: EventTemplate }>('post_message', args);
    const otherKind = member.signer.sign({ ...unsigned, kind: 1 });
    expect(await member.refusal('post_message', { ...args, event: otherKind })).toMatch(
      /^invalid: .*Expected a signed kind 9 event with the tags h\.$/,
    );
    const otherRoom = member.signer.sign({ ...unsigned, tags: [['h', 'elsewhere']] });
    expect(await member.refusal('post_message', { ...args, event: otherRoom })).toContain(
      'Expected a signed kind 9',
    );
    const unsignedAgain = await member.refusal('request_job', { event: { kind: 43001 } });
    expect(unsignedAgain).toBe('invalid: missing id. Expected a signed kind 43001 event with the tags h, p.');
    const altered = { ...member.signer.sign(unsigned), content: 'altered' };
    expect(await member.refusal('post_message', { ...args, event: altered })).toMatch(
      /^invalid: .*Expected a signed/,
    );
  });

  test('wrong and unknown arguments are told to the model', async () => {
    expect(await member.refusal('post_message', { content: 'x' })).toBe('invalid: room is required');
    expect(await member.refusal('post_message', { room: 'general', content: '  ' })).toBe(
      'invalid: content is required',
    );
    expect(await member.refusal('post_message', { room: 'general', content: 'x', reply: 'y' })).toMatch(
      /reply/,
    );
    expect(await member.refusal('list_rooms', { limit: 'ten' })).toMatch(/^invalid: .*limit/);
  });

  test("the gate's own reason comes back", async () => {
    const agent = await callerFor(
      await edge.agent([
        ['k', '9'],
        ['room', 'general'],
        ['rate', '1'],
      ]),
    );
    expect(
      await agent.refusal('react', { event: 'a'.repeat(64), pubkey: edge.owner.pubkey, content: '+' }),
    ).toBe('restricted: agent grant does not allow kind 7');
    await agent.write('post_message', { room: 'general', content: 'one' });
    await expect(agent.write('post_message', { room: 'general', content: 'two' })).rejects.toThrow(
      /restricted: agent grant does not allow more than 1 events per minute/,
    );
    await expect(agent.write('post_message', { room: 'other', content: 'x' })).rejects.toThrow(
      /restricted: agent grant does not allow room other/,
    );
  });

  test('publish_event takes any signed event and no proof', async () => {
    const event = edge.sign(member.signer, { kind: 9, content: 'raw', tags: [['h', 'general']] });
    expect(await member.done('publish_event', { event })).toMatchObject({
      accepted: true,
      event_id: event.id,
    });
    const proof = edge.sign(member.signer, { kind: 27235 });
    expect(await member.refusal('publish_event', { event: proof })).toMatch(/^blocked:/);
    expect(await member.refusal('publish_event', { event: {} })).toMatch(/Expected a signed event/);
  });
});

describe('conversation', () => {
  test('rooms, threads, replies at any depth, reactions and comments', async () => {
    await owner.write('create_room', { id: 'lab', name: 'Lab', about: 'tests', visibility: 'members' });
    expect(await owner.done('read_room', { room: 'lab' })).toMatchObject({
      room: { name: 'Lab', about: 'tests', access: 'members', role: 'owner' },
    });
    expect(await member.refusal('read_room', { room: 'lab' })).toMatch(/^restricted:/);
    const root = await owner.write('start_thread', { room: 'general', content: 'a thread', title: 'T' });
    const reply = await member.write('reply_in_thread', { room: 'general', event: root, content: 'first' });
    const deep = await owner.write('reply_in_thread', { room: 'general', event: reply, content: 'second' });
    expect(stored(deep).tags).toEqual([
      ['h', 'general'],
      ['e', root, '', 'root'],
      ['e', reply, '', 'reply'],
      ['p', member.signer.pubkey],
    ]);
    const thread = await member.done<{ replies: NostrEvent[] }>('read_thread', {
      room: 'general',
      event: deep,
    });
    expect(thread.replies.map(({ id }) => id).sort()).toEqual([reply, deep].sort());
    const like = await member.write('react', {
      event: root,
      pubkey: edge.owner.pubkey,
      content: '+',
      room: 'general',
    });
    expect(stored(like).tags).toContainEqual(['k', '11']);
    const about = { root, root_kind: 11, root_pubkey: edge.owner.pubkey };
    const comment = await member.write('comment', { ...about, content: 'a comment', room: 'general' });
    const answer = {
      parent: comment,
      parent_pubkey: member.signer.pubkey,
      content: 'an answer',
      room: 'general',
    };
    expect(stored(await owner.write('comment', { ...about, ...answer })).tags).toContainEqual(['k', '1111']);
    expect(await member.refusal('comment', { ...about, content: 'x', file: 'a.ts' })).toMatch(
      /file, line and side/,
    );
    expect(
      await member.refusal('reply_in_thread', { room: 'general', event: 'f'.repeat(64), content: 'x' }),
    ).toMatch(/^not found:/);
  });
});

describe('asking a person', () => {
  const ask = { pubkey: '', room: 'general', content: 'May I?' };
  beforeEach(() => {
    ask.pubkey = edge.owner.pubkey;
  });

  test('an approval in a room is listed and answered', async () => {
    const id = await member.write('request_decision', { ...ask, request: 'approve', subject: 'Deploy' });
    const { items } = await owner.done<{ items: { id: string; type: string }[] }>('list_approvals', {
      state: 'open',
    });
    expect(items).toContainEqual(expect.objectContaining({ id, type: 'approve', subject: 'Deploy' }));
    await owner.write('react', { event: id, pubkey: member.signer.pubkey, content: '+', room: 'general' });
    expect(await member.done('read_approval', { id })).toMatchObject({
      item: { state: 'answered', answer: { decision: 'approved' } },
    });
  });

  test('a native card keeps its choices, and one that is not well formed is refused before it is signed', async () => {
    const options = ['Continue', { id: 'stop', label: 'Stop here' }];
    const id = await member.write('request_decision', {
      ...ask,
      request: 'question',
      options,
      freeform: true,
      mention: true,
    });
    expect(await member.done('read_approval', { id })).toMatchObject({
      item: {
        interaction: 'question',
        selection: 'single',
        freeform: true,
        options: [
          { id: 'c0', label: 'Continue' },
          { id: 'stop', label: 'Stop here' },
        ],
      },
    });
    expect(
      await member.refusal('request_decision', {
        ...ask,
        request: 'approve',
        options,
        selection: 'multiple',
      }),
    ).toMatch(/^invalid: interaction/);
    expect(await member.refusal('request_decision', { ...ask, request: 'question', expiration: 1 })).toMatch(
      /past/,
    );
  });

  test('about an event it is a comment that asks one person', async () => {
    const root = await member.write('post_message', { room: 'general', content: 'plan' });
    const { room: _, ...rest } = ask;
    expect(await member.refusal('request_decision', { ...rest, request: 'decide' })).toMatch(
      /room is required, or root/,
    );
    const about = { root, root_kind: 9, root_pubkey: member.signer.pubkey };
    const id = await member.write('request_decision', { ...rest, ...about, request: 'decide' });
    expect(stored(id)).toMatchObject({ kind: 1111 });
    expect(await owner.done('read_approval', { id })).toMatchObject({ item: { asked: [edge.owner.pubkey] } });
  });
});

describe('a whole long task', () => {
  test('asked for, accepted, worked on, given, read; and another cancelled', async () => {
    const agent = await callerFor(
      await edge.agent([
        ['jobs', 'both'],
        ['room', 'general'],
      ]),
    );
    const assignees = [agent.signer.pubkey];
    const id = await member.write('request_job', {
      room: 'general',
      assignees,
      subject: 'Report',
      content: 'Write it',
    });
    const { items } = await agent.done<{ items: { id: string; status: string }[] }>('list_jobs', {
      state: 'open',
    });
    expect(items).toContainEqual(expect.objectContaining({ id, status: 'queued' }));
    await agent.write('accept_job', { request: id });
    await agent.write('job_progress', { request: stored(id), content: 'half way' });
    expect(await member.done('read_job', { id })).toMatchObject({ item: { status: 'running' } });
    const artifacts = [{ type: 'r', value: 'https://example.test/report' }];
    await agent.write('job_result', {
      e: id,
      p: member.signer.pubkey,
      room: 'general',
      content: 'Done',
      artifacts,
    });
    expect(await member.done('read_job', { id })).toMatchObject({
      item: { state: 'done', subject: 'Report', result: { content: 'Done', artifacts } },
      answers: [{ kind: 43002 }, { kind: 43003 }, { kind: 43004 }],
    });
    const second = await member.write('request_job', { room: 'general', assignees, subject: 'Another' });
    await member.write('cancel_job', { request: second });
    expect(await member.done('read_job', { id: second })).toMatchObject({ item: { state: 'cancelled' } });
    const third = await member.write('request_job', { room: 'general', assignees, content: 'Third' });
    await agent.write('job_error', { request: third, content: 'cannot' });
    expect(await member.done('list_jobs', { state: 'failed', mine: true })).toMatchObject({
      items: [{ id: third }],
    });
  });

  test('what does not fit is said before anything is signed', async () => {
    const assignees = [edge.owner.pubkey];
    expect(await member.refusal('request_job', { assignees, content: 'x' })).toContain('room is required');
    expect(await member.refusal('request_job', { room: 'general', content: 'x' })).toContain(
      'at least one key',
    );
    expect(await member.refusal('request_job', { room: 'general', assignees: [], content: 'x' })).toContain(
      'at least one key',
    );
    expect(await member.refusal('request_job', { room: 'general', assignees })).toContain(
      'content or subject',
    );
    const id = await member.write('request_job', { room: 'general', assignees, content: 'x' });
    const contradicting = { request: stored(id), room: 'lab' };
    expect(await owner.refusal('accept_job', contradicting)).toContain('must match the request');
    expect(await owner.refusal('job_progress', { request: id })).toContain('content is required');
    const artifacts = [{ type: 'r', value: 'ftp://x' }];
    expect(await owner.refusal('job_result', { request: id, content: 'x', artifacts })).toContain(
      'each artifact',
    );
    expect(await owner.refusal('accept_job', { request: 'a'.repeat(64) })).toMatch(/^not found:/);
  });
});

describe('a whole request for more access', () => {
  test('template, signature, review by the operator, signed replacement, new tools', async () => {
    const signer = await edge.agent([
      ['k', '9'],
      ['room', 'general'],
    ]);
    const agent = await callerFor(signer);
    expect(await agent.tools()).not.toContain('react');
    const args = { reason: 'I want to react', changes: { kinds: [7] }, subject: 'Reactions' };
    const id = await agent.write('request_grant', args);
    const review = await owner.done<{ item: { type: string; grant: { unsigned: EventTemplate } } }>(
      'read_approval',
      { id },
    );
    expect(review.item.type).toBe('grant');
    expect(await member.refusal('read_approval', { id })).toMatch(/^not found:/);
    const grant = edge.owner.sign(review.item.grant.unsigned);
    expect(await owner.done('publish_event', { event: grant })).toMatchObject({ accepted: true });
    expect(await agent.tools()).toContain('react');
    expect(await agent.done('read_approval', { id })).toMatchObject({ item: { state: 'answered' } });
  });

  test('nothing new, an unknown change and a caller without a grant are refused before signing', async () => {
    const agent = await callerFor(
      await edge.agent([
        ['k', '9'],
        ['room', 'general'],
      ]),
    );
    const reason = 'because';
    expect(await agent.refusal('request_grant', { reason, changes: { kinds: [9] } })).toMatch(
      /^invalid: .*already/,
    );
    expect(await agent.refusal('request_grant', { reason, changes: { name: 'x' } })).toMatch(
      /^invalid: .*name/,
    );
    expect(
      await agent.refusal('request_grant', { reason: 'x'.repeat(501), changes: { kinds: [7] } }),
    ).toContain('500');
    expect(await member.refusal('request_grant', { reason, changes: { kinds: [7] } })).toMatch(
      /^restricted:/,
    );
  });
});

describe('management through tools', () => {
  test('policy, agents and what operators look up', async () => {
    const agent = await edge.agent([['k', '9']], 'helper');
    expect(await owner.done('list_agents')).toMatchObject({
      agents: expect.arrayContaining([expect.objectContaining({ pubkey: agent.pubkey, name: 'helper' })]),
    });
    expect(await owner.done('pause_agent', { agent: agent.pubkey })).toMatchObject({ paused: true });
    expect(await owner.done('resume_agent', { agent: agent.pubkey })).toMatchObject({ paused: false });
    await owner.done('revoke_agent', { agent: agent.pubkey });
    expect(await owner.done('set_policy', { patch: { description: 'by tool' } })).toMatchObject({
      description: 'by tool',
    });
    const { audit } = await owner.done<{ audit: { action: string }[] }>('read_management', {
      section: 'audit',
    });
    expect(audit.slice(0, 4).map(({ action }) => action)).toEqual([
      'setpolicy',
      'revokeagent',
      'resumeagent',
      'pauseagent',
    ]);
    expect(await owner.refusal('read_management', { section: 'keys' })).toMatch(/section must be one of/);
    expect(await owner.refusal('set_policy', { patch: { rooms: -1 } })).toMatch(/^invalid: policy rooms/);
    expect(await member.refusal('set_policy', { patch: {} })).toMatch(/^restricted:/);
  });

  test('callbacks are registered, paused, resumed and removed', async () => {
    const filter = { kinds: [9], '#h': ['general'] };
    const made = await member.done<{ id: string; secret: string }>('add_callback', {
      url: 'https://example.com/hook',
      filter,
    });
    expect(made.secret).toMatch(/^[0-9a-f]{64}$/);
    const { id } = made;
    expect(await member.done('pause_callback', { id })).toMatchObject({ paused: true });
    expect(await member.done('resume_callback', { id })).toMatchObject({ paused: false });
    const listed = await member.done<{ callbacks: Record<string, unknown>[] }>('list_callbacks');
    expect(listed.callbacks).toEqual([expect.objectContaining({ id, url: 'https://example.com/hook' })]);
    expect(JSON.stringify(listed)).not.toContain(made.secret);
    expect(await member.done('remove_callback', { id })).toEqual({ removed: id });
    expect(await member.refusal('add_callback', { url: 'http://example.com', filter })).toMatch(/^invalid:/);
  });
});
