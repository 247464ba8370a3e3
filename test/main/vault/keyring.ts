// A real session bus with a real gnome-keyring on it, for the tests of the keychain: unlocked, locked or none.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { lookAtSecretService } from '../../../main/vault/secret-service.ts';

/** False where the system has no gnome-keyring to test against. */
export const keyringInstalled = ['gnome-keyring-daemon', 'dbus-daemon'].every(command =>
  (process.env.PATH ?? '').split(':').some(folder => existsSync(join(folder, command))),
);

const word = 'login-password';

/** One person's session. Start it, then lock, unlock or end its keyring; close it at the end. */
export class Session {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly #bus: ChildProcess;
  #keyring: ChildProcess | null = null;

  private constructor(folder: string, bus: ChildProcess, address: string) {
    this.folder = folder;
    this.#bus = bus;
    const { DISPLAY: _x, WAYLAND_DISPLAY: _w, ...rest } = process.env;
    this.env = {
      ...rest,
      HOME: this.folder,
      XDG_RUNTIME_DIR: this.folder,
      DBUS_SESSION_BUS_ADDRESS: address,
    };
  }

  static async start(): Promise<Session> {
    const folder = mkdtempSync(join(tmpdir(), 'tiny-keyring-'));
    const config = join(folder, 'bus.conf');
    writeFileSync(config, busConfig(folder));
    const bus = spawn(
      'dbus-daemon',
      [`--config-file=${config}`, '--nofork', '--nopidfile', '--print-address=1'],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    const [address] = (await once(createInterface({ input: bus.stdout }), 'line')) as [string];
    return new Session(folder, bus, address);
  }

  /** Starts the keyring; a locked one has been unlocked before, so that there is something to lock. */
  async keyring(state: 'unlocked' | 'locked'): Promise<void> {
    await this.endKeyring();
    mkdirSync(join(this.folder, '.local/share/keyrings'), { recursive: true });
    const args = ['--foreground', '--components=secrets', ...(state === 'unlocked' ? ['--unlock'] : [])];
    const child = spawn('gnome-keyring-daemon', args, { env: this.env, stdio: ['pipe', 'ignore', 'ignore'] });
    this.#keyring = child;
    child.stdin?.end(state === 'unlocked' ? word : '');
    for (let tries = 0; tries < 200; tries++) {
      const sight = await lookAtSecretService({ service: 'none', account: 'none' }, this.env, 2000);
      if (sight.seen === 'no-item' && sight.keyring === state) return;
      await new Promise(done => setTimeout(done, 25));
    }
    throw new Error(`the keyring did not come up ${state}`);
  }

  /** Takes every stored keyring away: what a new machine or a moved profile looks like. */
  async forget(): Promise<void> {
    await this.endKeyring();
    const folder = join(this.folder, '.local/share/keyrings');
    for (const file of readdirSync(folder)) rmSync(join(folder, file), { recursive: true });
  }

  async endKeyring(): Promise<void> {
    const child = this.#keyring;
    this.#keyring = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async close(): Promise<void> {
    await this.endKeyring();
    const ended = once(this.#bus, 'exit');
    this.#bus.kill('SIGKILL');
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A bus that starts no service by itself: what answers on it is what a test put there. */
function busConfig(folder: string): string {
  return `<busconfig><type>session</type><listen>unix:path=${folder}/bus</listen><auth>EXTERNAL</auth>
    <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
  </busconfig>`;
}
