// The agent program acts on the relay through its runner: a program that starts the MCP server it is given, real
// sockets, a real relay.

import { statSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { generateSecret, signerFrom } from '../../../relay/client/signer.ts';
import { Boundary, bridgedTools } from '../../../runner/bridge/boundary.ts';
import {
  agentOptions,
  fixture,
  grant,
  makeWorld,
  Runner,
  RunnerProcess,
  startRunner,
  type World,
} from '../world.ts';

const program = fixture('calls-tool');

async function asked(world: World, runner: { pubkey: string }, prompt: string): Promise<string> {
  const mention = await world.owner.mention(runner.pubkey, prompt);
  const reply = await world.owner.reply(runner.pubkey, event =>
    event.tags.some(tag => tag[1] === mention.id),
  );
  return reply.content;
}

describe('a program under a runner', () => {
  test('D2 speaks in its room through the bridge and by its answer, with every other permission refused', async () => {
    const world = await makeWorld();
    const runner = await startRunner(world, { program });
    const content = 'said through the bridge';
    const answer = await asked(world, runner, `post_message ${JSON.stringify({ room: 'general', content })}`);
    expect(JSON.parse(answer)).toMatchObject({ accepted: true });
    const message = await world.owner.reply(runner.pubkey, event => event.content === content);
    expect(message.pubkey).toBe(runner.pubkey);
    // No permission stood in the way of its own channel.
    expect(runner.said.all.filter(({ type }) => type === 'permission')).toEqual([]);
  });

  test("sees the tools its grant opens, and none of the runner's own business", async () => {
    const world = await makeWorld();
    const runner = await startRunner(world, { program });
    const tools = (await asked(world, runner, 'tools')).split(' ');
    expect(tools).toEqual(
      expect.arrayContaining([
        'tiny_diagnose',
        'list_rooms',
        'post_message',
        'request_grant',
        'request_job',
        'read_approval',
      ]),
    );
    const never = [
      'accept_job',
      'job_progress',
      'job_result',
      'job_error',
      'publish_event',
      'set_policy',
      'add_callback',
    ];
    for (const name of [...never, 'react', 'create_room']) expect(tools).not.toContain(name);
  });

  test('what the grant does not allow is not signed, and asking for more is', async () => {
    const world = await makeWorld();
    const runner = await startRunner(world, { program });
    const decision = { pubkey: world.owner.signer.pubkey, request: 'decide', content: 'Which?' };
    const about = { root: 'a'.repeat(64), root_kind: 9, root_pubkey: runner.pubkey };
    const refused = await asked(
      world,
      runner,
      `request_decision ${JSON.stringify({ ...decision, ...about })}`,
    );
    expect(refused).toMatch(
      /the event of kind 1111 from request_decision was not signed: the grant does not allow/,
    );
    const more = { reason: 'to comment', changes: { kinds: [1111] } };
    expect(JSON.parse(await asked(world, runner, `request_grant ${JSON.stringify(more)}`))).toMatchObject({
      accepted: true,
    });
    const requests = await world.owner.query({ kinds: [1111], authors: [runner.pubkey] });
    expect(requests).toEqual([expect.objectContaining({ content: 'to comment' })]);
  });

  test('asks nobody but others for long tasks, and at half its rate', async () => {
    const world = await makeWorld();
    const secret = generateSecret();
    const { pubkey } = signerFrom(secret);
    const options = await agentOptions(world, { program, secret, granted: false });
    await grant(world, pubkey, { rate: 30 });
    const runner = await new Runner(options).start();
    const self = { room: 'general', assignees: [pubkey], content: 'again' };
    expect(await asked(world, runner, `request_job ${JSON.stringify(self)}`)).toContain(
      'an agent does not ask itself for a long task',
    );
    const said = await asked(world, runner, 'flood {"room":"other","content":"x"}');
    const lines = said.split('\n');
    expect(lines.filter(line => line === 'posted')).toHaveLength(15);
    expect(lines.at(-1)).toContain('more than 15 events in a minute');
  });

  test('F6 F7 the key is in nothing the program is given, and the door is for this user alone', async () => {
    const world = await makeWorld();
    const options = await agentOptions(world, { program });
    const runner = new RunnerProcess(options);
    const { pubkey } = signerFrom(options.secret);
    const given = await asked(world, { pubkey }, 'given');
    const [entry] = JSON.parse(given) as { name: string; command: string; args: string[]; env: unknown[] }[];
    expect(entry).toMatchObject({ name: 'tiny', env: [] });
    expect(given).not.toContain(Buffer.from(options.secret).toString('hex'));
    const path = entry?.args[1] ?? '';
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(runner.stderr.join('\n')).not.toContain(Buffer.from(options.secret).toString('hex'));
    runner.order({ order: 'stop' });
    await runner.exit;
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined();
  });

  test('a runner that was killed leaves a door its next start replaces', async () => {
    const world = await makeWorld();
    const options = await agentOptions(world, { program });
    const killed = new RunnerProcess(options);
    await killed.status('program', line => line.state === 'ready');
    await killed.kill();
    const runner = await new Runner(options).start();
    expect(JSON.parse(await asked(world, runner, 'list_rooms'))).toMatchObject({ items: expect.any(Array) });
  });

  test('while the grant is paused nothing is signed', async () => {
    const world = await makeWorld();
    const runner = await startRunner(world, { program });
    const given = await asked(world, runner, 'given');
    const path = (JSON.parse(given) as { args: string[] }[])[0]?.args[1] ?? '';
    runner.order({ order: 'pause', reason: 'told so' });
    const line = connect(path);
    const answers = createInterface({ input: line });
    const call = { name: 'post_message', arguments: { room: 'general', content: 'x' } };
    line.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })}\n`);
    const first = await new Promise<string>(resolve => answers.once('line', resolve));
    expect(first).toContain('was not signed: the grant is paused');
    line.end();
  });
});

describe('the boundary', () => {
  const standing = {
    pubkey: 'a'.repeat(64),
    scope: () => ({ kinds: [9], rooms: [], repos: [], rate: 2, jobs: 'both' as const }),
    held: () => null,
    isOwnRun: (job: string) => job === 'b'.repeat(64),
  };
  const event = (kind: number, tags: string[][] = []) => ({ kind, created_at: 1, tags, content: '' });

  test('the task under way is not cancelled by the one who works on it', () => {
    const boundary = new Boundary(standing);
    expect(boundary.refuse('cancel_job', event(43005, [['e', 'b'.repeat(64)]]))).toMatch(/ending your turn/);
    expect(boundary.refuse('cancel_job', event(43005, [['e', 'c'.repeat(64)]]))).toBeNull();
  });

  test('a refused event takes no place of the rate', () => {
    const boundary = new Boundary(standing);
    expect(boundary.refuse('react', event(7))).toMatch(/does not allow kind 7/);
    expect(boundary.refuse('post_message', event(9))).toBeNull();
    expect(boundary.refuse('post_message', event(9))).toMatch(/more than 1 events/);
  });

  test('no tool in it publishes just anything', () => {
    expect([...bridgedTools()]).not.toEqual(expect.arrayContaining(['publish_event']));
  });
});
