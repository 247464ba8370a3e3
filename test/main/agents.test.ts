// Agents' lives: made whole or not at all, seen to end, stopped with everything they started.

import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nsecEncode } from 'nostr-tools/nip19';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { AgentDraft, AgentView } from '../../main/contract/agents.ts';
import { openHome } from '../../main/home.ts';
import {
  agentIn,
  childrenOf,
  type Desk,
  demoDraft,
  fixtureDraft,
  PASSPHRASE,
  type Refused,
  startDesk,
} from './desk.ts';
import { keptLog } from './quiet.ts';
import { living } from './supervise/family.ts';

let desk: Desk;
let count = 0;
beforeAll(async () => {
  desk = await startDesk();
});
afterAll(() => desk?.stop());
afterEach(async () => {
  for (const agent of await desk.call('agents.list', {}))
    await desk.call('agents.remove', { pubkey: agent.pubkey });
});

async function make(draft: AgentDraft): Promise<AgentView> {
  count += 1;
  return desk.call('agents.create', { ...draft, name: `${draft.name} ${count}` });
}
const refused = (call: Promise<unknown>): Promise<Refused> =>
  call.then(
    () => Promise.reject(new Error('it worked')),
    error => error,
  );
const runnerPid = (agent: AgentView) => agent.process?.pid ?? Number.NaN;
const sealed = () => readdirSync(join(desk.home, 'vault')).filter(name => name.startsWith('agent-'));
const folders = () => readdirSync(join(desk.home, 'agents')).filter(name => name.length === 64);

test('A15 a program that is dead right after its start is no agent, and nothing of it is left behind', async () => {
  const before = await childrenOf(desk);
  const draft = fixtureDraft(desk, 'exits.mjs', 'at-once');
  const { failure } = await refused(make(draft));
  expect(failure.kind).toBe('failed');
  expect(failure.details).toContain('the moon is in the wrong house');
  expect(await desk.call('agents.list', {})).toEqual([]);
  expect({ sealed: sealed(), folders: folders() }).toEqual({ sealed: [], folders: [] });
  expect((await childrenOf(desk)).sort()).toEqual(before.sort());
  const { members } = await desk.call('rooms.open', { id: 'general' });
  expect(members.filter(member => member.agent)).toEqual([]);
});

test('C7 a command that is not there is named before anything is made', async () => {
  const draft = demoDraft(desk);
  const { failure } = await refused(
    make({ ...draft, program: { ...draft.program, command: 'no-such-agent' } }),
  );
  expect(failure).toMatchObject({
    kind: 'invalid',
    fields: { 'program.command': expect.stringContaining('no-such-agent') },
  });
  expect(folders()).toEqual([]);
});

test('C7 a program that went missing later is the state of its agent, by name and with what to do', async () => {
  const draft = fixtureDraft(desk, 'scripted.mjs');
  const starter = join(desk.home, 'starter');
  writeFileSync(starter, `#!/bin/sh\nexec "${process.execPath}" "${draft.program.args[0]}"\n`);
  chmodSync(starter, 0o755);
  const agent = await make({ ...draft, program: { ...draft.program, command: starter, args: [] } });
  await desk.call('agents.stop', { pubkey: agent.pubkey });
  rmSync(starter);
  await desk.call('agents.start', { pubkey: agent.pubkey });
  const view = await desk.until(
    'agents.changed',
    each => each.pubkey === agent.pubkey && each.state === 'suspended',
  );
  expect(view.reason).toContain(starter);
});

test('A1 a runner that dies is seen at once and started again, its program not left behind', async () => {
  const agent = await make(demoDraft(desk));
  const { child } = await agentIn(desk, agent.pubkey, 'idle');
  process.kill(runnerPid(agent), 'SIGKILL');
  const view = await desk.until(
    'agents.changed',
    each => each.pubkey === agent.pubkey && each.state === 'backing-off',
  );
  expect(view.reason).toContain('SIGKILL');
  expect(view.retryAt).toBeGreaterThan(view.since);
  expect(await living([child!.pid!])).toEqual([]);
  const again = await desk.until(
    'agents.changed',
    each => each.pubkey === agent.pubkey && each.state === 'idle' && runnerPid(each) !== runnerPid(agent),
  );
  expect(await living([runnerPid(again)])).toEqual([runnerPid(again)]);
});

test('A3 F-50 Stop ends the whole tree of an agent that ignores every signal', async () => {
  const agent = await make(fixtureDraft(desk, 'ignores-signals.mjs'));
  const before = await childrenOf(desk);
  await desk.call('rooms.send', { id: 'general', content: 'work', mentions: [agent.pubkey] });
  await desk.until('agents.changed', each => each.pubkey === agent.pubkey && each.state === 'running');
  while ((await childrenOf(desk)).length <= before.length)
    await new Promise(resolve => setTimeout(resolve, 20));
  const tree = (await childrenOf(desk)).filter(pid => !before.includes(pid)).concat(runnerPid(agent));
  const stopped = await desk.call('agents.stop', { pubkey: agent.pubkey });
  expect(stopped).toMatchObject({ state: 'stopped', run: null });
  expect(stopped.recent[0]?.ending).toBe('interrupted');
  expect(await living(tree)).toEqual([]);
});

test('A9 Stop on an agent whose processes are gone is a stop like any other, and its run has ended', async () => {
  const agent = await make(demoDraft(desk));
  await desk.call('rooms.send', { id: 'general', content: 'slow: write a.md: x', mentions: [agent.pubkey] });
  const working = await desk.until(
    'agents.changed',
    each => each.pubkey === agent.pubkey && each.run?.phase === 'running',
  );
  process.kill(runnerPid(working), 'SIGKILL');
  await desk.until('agents.changed', each => each.pubkey === agent.pubkey && each.state === 'backing-off');
  await desk.call('agents.cancel', { pubkey: agent.pubkey, run: working.run!.run });
  const stopped = await desk.call('agents.stop', { pubkey: agent.pubkey });
  expect(stopped).toMatchObject({ state: 'stopped', run: null });
  expect(stopped.recent[0]).toMatchObject({ run: working.run!.run, phase: 'ended' });
  await desk.call('agents.start', { pubkey: agent.pubkey });
  const job = await desk.until('jobs.changed', each => each.id === working.run!.run && each.state !== 'open');
  expect(job.state).not.toBe('done');
});

test('a paused agent waits, a resumed one works on, a revoked one ends', async () => {
  const agent = await make(demoDraft(desk));
  const { pubkey } = agent;
  expect((await desk.call('agents.pause', { pubkey })).state).toBe('paused');
  await desk.call('rooms.send', { id: 'general', content: 'help', mentions: [pubkey] });
  await desk.until('agents.changed', each => each.pubkey === pubkey && each.queue.length === 1);
  await desk.call('agents.resume', { pubkey });
  await desk.until('agents.changed', each => each.pubkey === pubkey && each.lastReply?.delivered === true);
  const revoked = await desk.call('agents.revoke', { pubkey });
  expect(revoked).toMatchObject({ state: 'revoked', process: { state: 'stopped' } });
  expect((await refused(desk.call('agents.start', { pubkey }))).failure.kind).toBe('conflict');
  expect(await desk.call('agents.pauseAll', {})).toEqual({ changed: 0 });
});

test('F3 a key that is gone is said to be gone, and no new one is made', async () => {
  const agent = await make(demoDraft(desk));
  await desk.call('agents.stop', { pubkey: agent.pubkey });
  rmSync(join(desk.home, 'vault', `agent-${agent.pubkey}.sealed`));
  const view = await desk.call('agents.start', { pubkey: agent.pubkey });
  expect(view).toMatchObject({ state: 'suspended', reason: expect.stringContaining('not in the vault') });
  expect(sealed()).toEqual([]);
  expect(folders()).toEqual([agent.pubkey]);
});

test('F7 F6 no key stands in the command line, the environment, the files or the log of any process', async () => {
  const agent = await make(fixtureDraft(desk, 'scripted.mjs'));
  await desk.call('rooms.send', { id: 'general', content: 'please env', mentions: [agent.pubkey] });
  await desk.until(
    'agents.changed',
    each => each.pubkey === agent.pubkey && each.lastReply?.delivered === true,
  );
  const secrets = await secretsOf(desk);
  expect(secrets.length).toBe(3);
  const words = secrets.flatMap(secret => [Buffer.from(secret).toString('hex'), nsecEncode(secret)]);
  const places = [
    ...(await childrenOf(desk)).flatMap(pid => [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`]),
    ...filesBelow(desk.home),
  ];
  const found = places.filter(place => {
    const text = readFileSync(place, 'latin1');
    return words.some(word => text.includes(word));
  });
  expect(found).toEqual([]);
  expect(places.length).toBeGreaterThan(10);
});

test('a removed agent is gone: process, key, folder and place in the list', async () => {
  const agent = await make(demoDraft(desk));
  await agentIn(desk, agent.pubkey, 'idle');
  await desk.call('agents.remove', { pubkey: agent.pubkey });
  expect(await living([runnerPid(agent)])).toEqual([]);
  expect({ sealed: sealed(), folders: folders() }).toEqual({ sealed: [], folders: [] });
  expect(await desk.call('agents.list', {})).toEqual([]);
  expect((await refused(desk.call('agents.start', { pubkey: agent.pubkey }))).failure.kind).toBe('conflict');
});

test('a plain command is an agent too', async () => {
  const draft = demoDraft(desk);
  const program = { command: 'cat', args: [], cwd: draft.program.cwd, protocol: 'command' as const };
  const agent = await make({ ...draft, name: 'Echo', program });
  await desk.call('rooms.send', { id: 'general', content: 'say it back', mentions: [agent.pubkey] });
  const { event } = await desk.until(
    'rooms.event',
    each => each.event.pubkey === agent.pubkey && each.event.kind === 9,
  );
  expect(event.content).toContain('say it back');
});

async function secretsOf({ home }: Desk): Promise<Uint8Array[]> {
  const { openVault } = await import('../../main/vault/vault.ts');
  const keychain = {
    name: 'none',
    read: async () => ({ answer: 'absent', words: 'no keychain here' }),
    write: async () => ({ answer: 'absent', words: 'no keychain here' }),
    close() {},
  };
  const vault = await openVault({
    home: openHome(home, {}),
    keychain: keychain as never,
    log: keptLog().log,
    passphrase: PASSPHRASE,
  });
  const secrets = vault.names().map(name => Uint8Array.from(vault.read(name)!));
  vault.close();
  return secrets;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name));
}

test('A15 a program that ends before a word is said is named with how it ended and what it said, and leaves the list', async () => {
  const draft = demoDraft(desk);
  const says = { ...draft.program, command: '/bin/sh', args: ['-c', 'echo no licence >&2; exit 3'] };
  const { failure } = await refused(make({ ...draft, program: says }));
  expect(failure.details).toMatch(/ended with code 3|exit(ed)? (with )?code 3|code 3/);
  expect(failure.details).toContain('no licence');
  expect(failure.details).not.toContain('EPIPE');
  const quiet = await refused(
    make({ ...draft, program: { ...draft.program, command: '/bin/false', args: [] } }),
  );
  expect(quiet.failure.details).toContain('code 1');
  const granted = await desk.until('agents.changed', each => each.name.startsWith('Demo'));
  await desk.until('agents.removed', ({ pubkey }) => pubkey === granted.pubkey);
});

test('adding an agent ends the welcome, and who mentioned it is who asked for its job', async () => {
  const agent = await make(demoDraft(desk));
  expect(desk.program.app.state().welcome).toBe(false);
  await agentIn(desk, agent.pubkey, 'idle');
  const message = await desk.call('rooms.send', { id: 'general', content: 'help', mentions: [agent.pubkey] });
  const job = await desk.until('jobs.changed', each => each.root === message.id && each.state === 'done');
  expect(job).toMatchObject({ requester: agent.pubkey, asker: desk.owner });
  const { items } = await desk.call('jobs.list', { agent: agent.pubkey });
  expect(items.map(each => each.asker)).toEqual([desk.owner]);
  const { recent } = await desk.call('agents.get', { pubkey: agent.pubkey });
  expect(recent[0]).toMatchObject({ requester: agent.pubkey, asker: desk.owner, ending: 'done' });
});
