import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Home } from '../../../main/home.ts';
import { programFiles } from '../../../main/program-files.ts';
import { nodeSpawner } from '../../../main/supervise/spawner.ts';
import { createKeychain, type Keychain } from '../../../main/vault/keychain.ts';
import { openVault, type Vault } from '../../../main/vault/vault.ts';
import { keptLog, temporaryHome } from '../quiet.ts';
import { keyringInstalled, Session } from './keyring.ts';

const secret = Uint8Array.from({ length: 32 }, (_each, n) => n + 1);
const opened: (Vault | Keychain)[] = [];
let home: Home;

beforeEach(() => {
  home = temporaryHome();
});
afterEach(() => {
  for (const each of opened.splice(0)) each.close();
});

function keychainIn(env: NodeJS.ProcessEnv): Keychain {
  const keychain = createKeychain({ spawner: nodeSpawner(), entry: programFiles().keychain, env });
  opened.push(keychain);
  return keychain;
}

async function vaultIn(env: NodeJS.ProcessEnv, passphrase?: string): Promise<Vault> {
  const vault = await openVault({ home, keychain: keychainIn(env), log: keptLog().log, passphrase });
  opened.push(vault);
  return vault;
}

/** Every byte under vault/, to show that nothing was touched. */
function fingerprint(): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(home.at('vault')).sort())
    hash.update(file).update(readFileSync(home.at('vault', file)));
  return hash.digest('hex');
}

const nowhere = { PATH: process.env.PATH ?? '', HOME: '/nonexistent' };

describe('without a keychain', () => {
  test('F-60 no session bus: locked, says what was tried, and writes nothing', async () => {
    const vault = await vaultIn(nowhere);
    expect(vault.state()).toMatchObject({ state: 'locked', fresh: true, backend: 'none' });
    expect(vault.state().problem).toContain('Secret Service keyring');
    expect(vault.state().problem).toContain('no D-Bus session bus');
    expect(readdirSync(home.at('vault'))).toEqual([]);
    expect(() => vault.write('owner', secret)).toThrow('not open');
  });

  test('F9 a passphrase seals the wrapping key; the same one opens it again, another does not', async () => {
    const first = await vaultIn(nowhere);
    expect(await first.unlock('correct horse')).toBe('opened');
    first.write('owner', secret);
    expect(first.state()).toMatchObject({
      state: 'open',
      backend: 'passphrase',
      backendName: 'your passphrase',
    });

    const second = await vaultIn(nowhere);
    expect(second.state()).toMatchObject({ state: 'locked', backend: 'passphrase', fresh: false });
    expect(await second.unlock('wrong horse!')).toBe('wrong');
    expect(second.state().state).toBe('locked');
    expect(await second.unlock('correct horse')).toBe('opened');
    expect(second.read('owner')).toEqual(secret);
  });

  test('a passphrase given at the start opens it without a question; a wrong one leaves it locked', async () => {
    (await vaultIn(nowhere, 'correct horse')).write('owner', secret);
    const before = fingerprint();
    expect((await vaultIn(nowhere, 'correct horse')).read('owner')).toEqual(secret);
    const wrong = await vaultIn(nowhere, 'wrong horse!');
    expect(wrong.state()).toMatchObject({ state: 'locked', fresh: false });
    expect(wrong.state().problem).toContain('does not open it');
    expect(fingerprint()).toBe(before);
  });

  test('F11 no secret lies in any file of the vault, in any form', async () => {
    const vault = await vaultIn(nowhere, 'correct horse');
    vault.write('owner', secret);
    const hex = Buffer.from(secret).toString('hex');
    for (const file of readdirSync(home.at('vault'))) {
      const bytes = readFileSync(home.at('vault', file));
      expect(bytes.includes(Buffer.from(secret))).toBe(false);
      expect(bytes.toString('utf8')).not.toContain(hex);
      expect(bytes.toString('utf8')).not.toContain(Buffer.from(secret).toString('base64'));
      expect(bytes.toString('utf8')).not.toContain('correct horse');
    }
  });

  test('F1 a secret that is deleted takes no other with it', async () => {
    const vault = await vaultIn(nowhere, 'correct horse');
    vault.write('owner', secret);
    vault.write('agent-one', secret);
    vault.write('agent-two', secret);
    rmSync(home.at('vault', 'agent-one.sealed'));
    expect(vault.read('agent-one')).toBeNull();
    expect(vault.read('agent-two')).toEqual(secret);
    expect(vault.read('owner')).toEqual(secret);
  });

  test('F1 sealed files without vault.json are not a new vault', async () => {
    (await vaultIn(nowhere, 'correct horse')).write('owner', secret);
    rmSync(home.at('vault', 'vault.json'));
    const before = fingerprint();
    const vault = await vaultIn(nowhere, 'another phrase');
    expect(vault.state().state).not.toBe('open');
    expect(vault.state().fresh).toBe(false);
    expect(vault.state().problem).toContain('vault.json is gone');
    expect(await vault.unlock('another phrase')).toBe('not-by-passphrase');
    expect(fingerprint()).toBe(before);
  });

  test('a damaged vault.json is said to be damaged and kept', async () => {
    (await vaultIn(nowhere, 'correct horse')).write('owner', secret);
    writeFileSync(home.at('vault', 'vault.json'), '{"version":1,');
    const before = fingerprint();
    const vault = await vaultIn(nowhere, 'correct horse');
    expect(vault.state().problem).toContain('damaged');
    expect(fingerprint()).toBe(before);
  });

  test('I13 a vault of a newer version is refused untouched', async () => {
    (await vaultIn(nowhere, 'correct horse')).write('owner', secret);
    writeFileSync(home.at('vault', 'vault.json'), '{"version":2,"id":"x"}');
    const before = fingerprint();
    await expect(vaultIn(nowhere, 'correct horse')).rejects.toThrow('newer version');
    expect(fingerprint()).toBe(before);
  });

  test('a sealed file does not pass for another, nor survive a changed byte', async () => {
    const vault = await vaultIn(nowhere, 'correct horse');
    vault.write('owner', secret);
    const sealed = readFileSync(home.at('vault', 'owner.sealed'), 'utf8');
    writeFileSync(home.at('vault', 'agent-one.sealed'), sealed);
    expect(() => vault.read('agent-one')).toThrow('damaged or belongs to another vault');
    const { box, ...rest } = JSON.parse(sealed);
    const bytes = Buffer.from(box, 'base64');
    bytes[30] = (bytes[30] ?? 0) ^ 1;
    writeFileSync(
      home.at('vault', 'owner.sealed'),
      JSON.stringify({ ...rest, box: bytes.toString('base64') }),
    );
    expect(() => vault.read('owner')).toThrow('damaged');
  });

  test('the keychain library missing is told apart from a missing session', async () => {
    const keychain = createKeychain({
      spawner: nodeSpawner(),
      entry: programFiles().keychain,
      env: { ...nowhere, NODE_PATH: '' },
      platform: 'win32',
      within: 20_000,
    });
    opened.push(keychain);
    // On Linux the library is there and answers that it has no bus; elsewhere it may not load at all.
    const answer = await keychain.read('any');
    expect(['no-session', 'no-library']).toContain(answer.answer);
  });
});

describe.skipIf(!keyringInstalled)('with a real gnome-keyring', () => {
  let session: Session;
  beforeEach(async () => {
    session = await Session.start();
  });
  afterEach(async () => {
    for (const each of opened.splice(0)) each.close();
    await session.close();
  });

  test('F9 F-60 present: the keychain is used, found again, and named as what it is', async () => {
    await session.keyring('unlocked');
    const first = await vaultIn(session.env);
    expect(first.state()).toEqual({
      state: 'open',
      backend: 'keychain',
      backendName: 'Secret Service keyring',
      fresh: false,
    });
    first.write('owner', secret);
    const second = await vaultIn(session.env);
    expect(second.read('owner')).toEqual(secret);
  });

  test('F1 F-60 locked: said to be locked, ciphertext untouched, opens once it is unlocked', async () => {
    await session.keyring('unlocked');
    (await vaultIn(session.env)).write('owner', secret);
    const before = fingerprint();
    await session.keyring('locked');
    const vault = await vaultIn(session.env);
    expect(vault.state()).toMatchObject({ state: 'locked', backend: 'keychain', fresh: false });
    expect(vault.state().problem).toContain('locked');
    expect(fingerprint()).toBe(before);
    await session.keyring('unlocked');
    expect(await vault.retryKeychain()).toMatchObject({ state: 'open', backend: 'keychain' });
    expect(vault.read('owner')).toEqual(secret);
  });

  test('F3 F-60 locked at a first start: no key is made, and none is written in the clear', async () => {
    await session.keyring('unlocked');
    const other = keychainIn(session.env);
    await other.write('makes the keyring exist', 'x');
    await session.keyring('locked');
    const vault = await vaultIn(session.env);
    expect(vault.state()).toMatchObject({ state: 'locked', fresh: true });
    expect(readdirSync(home.at('vault'))).toEqual([]);
  });

  test('F1 F3 moved profile: the key is missing, not locked, and none is made anew', async () => {
    await session.keyring('unlocked');
    (await vaultIn(session.env)).write('owner', secret);
    const before = fingerprint();
    await session.forget();
    await session.keyring('unlocked');
    const vault = await vaultIn(session.env);
    expect(vault.state()).toMatchObject({ state: 'unusable', backend: 'keychain', fresh: false });
    expect(vault.state().problem).toContain('no longer in it');
    expect(await vault.unlock('some passphrase')).toBe('not-by-passphrase');
    expect(fingerprint()).toBe(before);
  });

  test('F1 one deleted keychain item costs nothing: the spare puts it back', async () => {
    await session.keyring('unlocked');
    (await vaultIn(session.env)).write('owner', secret);
    const { id } = JSON.parse(readFileSync(home.at('vault', 'vault.json'), 'utf8'));
    const keychain = keychainIn(session.env);
    expect(await keychain.remove(id)).toEqual({ answer: 'written' });
    expect(await keychain.read(id)).toEqual({ answer: 'no-item' });
    expect((await vaultIn(session.env)).read('owner')).toEqual(secret);
    expect((await keychain.read(id)).answer).toBe('found');
  });

  test('F1 a lost vault.json is written anew from the keychain and the sealed files', async () => {
    await session.keyring('unlocked');
    (await vaultIn(session.env)).write('owner', secret);
    rmSync(home.at('vault', 'vault.json'));
    const vault = await vaultIn(session.env);
    expect(vault.state().state).toBe('open');
    expect(vault.read('owner')).toEqual(secret);
  });
});

test('F-60 a keychain that never answers costs a few seconds, then says so, and can be ended', async () => {
  const { createServer } = await import('node:net');
  const path = home.at('silent-bus');
  const server = createServer(socket => void socket.on('data', () => {})).listen(path);
  const keychain = createKeychain({
    spawner: nodeSpawner(),
    entry: programFiles().keychain,
    env: { ...nowhere, DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` },
    within: 300,
  });
  expect((await keychain.read('any')).answer).toBe('no-session');
  const silent = createKeychain({
    spawner: nodeSpawner(),
    entry: programFiles().keychain,
    env: { ...nowhere, DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` },
    platform: 'darwin',
    within: 300,
  });
  expect(await silent.read('any')).toMatchObject({ answer: 'silent' });
  silent.close();
  keychain.close();
  server.close();
});
