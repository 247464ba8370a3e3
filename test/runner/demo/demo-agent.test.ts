// The demo agent through a real runner: allow, deny, expire, cancel, and staying in its folder.

import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parsePermissionPrompt } from '../../../relay/protocol/permission-prompt.ts';
import { readRequest } from '../../../runner/demo/understand.ts';
import { type AgentSetup, folder, makeWorld, startRunner } from '../world.ts';

const program = resolve(import.meta.dirname, '../../../runner/demo/demo-agent.ts');

async function start(setup: AgentSetup = {}) {
  const world = await makeWorld();
  const runner = await startRunner(world, { program, ...setup });
  return { owner: world.owner, runner, file: (name: string) => join(runner.options.cwd, name) };
}

test('allowed, it writes the file it showed and says so', async () => {
  const { owner, runner, file } = await start();
  await owner.mention(runner.pubkey, '@demo write hello.md: good morning');
  const prompt = await owner.prompt(runner.pubkey);
  const action = parsePermissionPrompt(prompt);
  expect(action?.diffs).toEqual([
    { path: file('hello.md'), before: '', after: 'good morning\n', isNew: true },
  ]);
  expect(existsSync(file('hello.md'))).toBe(false);
  await owner.react(prompt, '+');
  const reply = await owner.reply(runner.pubkey);
  expect(reply.content).toMatch(
    /^Hello, I am the demo agent[\s\S]*Done\. You allowed it, so I wrote `hello\.md`/,
  );
  expect(readFileSync(file('hello.md'), 'utf8')).toBe('good morning\n');
  expect((await owner.hears(43003, runner.pubkey)).content).toMatch(/folder/);
});

test('denied, it writes nothing and says a person refused', async () => {
  const { owner, runner, file } = await start();
  await owner.mention(runner.pubkey, 'make me a note');
  await owner.react(await owner.prompt(runner.pubkey), '-');
  const reply = await owner.reply(runner.pubkey);
  expect(reply.content).toContain('You refused, so I did not write `notes/make-me-a-note.md`');
  expect(readdirSync(file('.'))).toEqual([]);
});

test('expired, it writes nothing and says nobody answered', async () => {
  const { owner, runner, file } = await start({ promptMs: 900 });
  await owner.mention(runner.pubkey, 'make me a note');
  const reply = await owner.reply(runner.pubkey);
  expect(reply.content).toContain('The question expired before anybody answered');
  expect(readdirSync(file('.'))).toEqual([]);
});

test('cancelled while it walks slowly or waits for an answer, it stops at once', async () => {
  const { owner, runner } = await start();
  await owner.mention(runner.pubkey, 'go slow');
  await owner.events.until(({ kind, content }) => kind === 43003 && content.startsWith('Step '));
  await owner.mention(runner.pubkey, '/cancel');
  expect((await runner.ended()).ending).toBe('cancelled');
  const from = runner.said.all.length;
  await owner.mention(runner.pubkey, 'a note');
  await owner.prompt(runner.pubkey);
  await owner.mention(runner.pubkey, '/stop now');
  expect((await runner.ended(from)).ending).toBe('cancelled');
  expect(runner.said.all.filter(line => line.type === 'program' && line.state === 'exited')).toEqual([]);
});

test('it writes only inside its own folder, whatever links lie there', async () => {
  const outside = folder();
  const { owner, runner, file } = await start();
  symlinkSync(outside, file('notes'));
  await owner.mention(runner.pubkey, 'a note');
  await owner.react(await owner.prompt(runner.pubkey), '+');
  expect((await owner.reply(runner.pubkey)).content).toContain('it lies outside my folder');
  expect(readdirSync(outside)).toEqual([]);
  mkdirSync(file('own'));
});

const heading = `From ${'a'.repeat(64)}, message ${'b'.repeat(64)}:`;

test.each([
  ['write hello.md: text', 'hello.md', 'text\n'],
  ['@demo write sub/a.txt: two\nlines', 'sub/a.txt', 'two\nlines\n'],
  ['write ../up.md: no', 'notes/write-up-md-no.md', undefined],
  ['write /etc/passwd: no', 'notes/write-etc-passwd-no.md', undefined],
  ['@demo hello', 'notes/hello.md', undefined],
  ['', 'notes/hello.md', undefined],
])('%j means the file %s', (text, name, content) => {
  const { file } = readRequest(`You were mentioned.\n\n${heading}\nolder\n\n${heading}\n${text}`, 2);
  expect(file.name).toBe(name);
  if (content !== undefined) expect(file.text).toBe(content);
});
