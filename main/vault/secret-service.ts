// Looks at the Linux keychain without asking it for anything: is there a session bus, a Secret Service on it, our item,
// and is it locked? libsecret answers "nothing" for an item that is missing and for one that stays locked alike, and
// the two must not be mistaken for each other (cases F1 F-60). Speaks just enough D-Bus for three calls.

import { connect, type Socket } from 'node:net';
import { encodeCall, type Reply, readReplies } from './dbus-wire.ts';

export type Sight =
  | { seen: 'no-session' | 'no-service' | 'silent'; words: string }
  | { seen: 'item'; locked: boolean }
  | { seen: 'no-item'; keyring: 'locked' | 'unlocked' | 'none' };

const service = { destination: 'org.freedesktop.secrets', path: '/org/freedesktop/secrets' };

/** What the session's Secret Service holds under these attributes. Shows no prompt; answers within `within` ms. */
export async function lookAtSecretService(
  attributes: Record<string, string>,
  env: NodeJS.ProcessEnv,
  within: number,
): Promise<Sight> {
  const address = socketOf(env);
  if (!address) return { seen: 'no-session', words: 'there is no D-Bus session bus' };
  let bus: Bus;
  try {
    bus = await Bus.open(address, within);
  } catch (error) {
    return { seen: 'no-session', words: `the D-Bus session bus does not answer: ${wordsOf(error)}` };
  }
  try {
    const found = await bus.call({
      ...service,
      interface: 'org.freedesktop.Secret.Service',
      member: 'SearchItems',
      signature: 'a{ss}',
      body: [attributes],
    });
    if (found.error)
      return { seen: 'no-service', words: `no Secret Service on the session bus: ${found.error}` };
    const [unlocked = [], locked = []] = found.body as [string[]?, string[]?];
    if (unlocked.length > 0) return { seen: 'item', locked: false };
    if (locked.length > 0) return { seen: 'item', locked: true };
    return { seen: 'no-item', keyring: await defaultKeyring(bus) };
  } catch (error) {
    return { seen: 'silent', words: wordsOf(error) };
  } finally {
    bus.close();
  }
}

async function defaultKeyring(bus: Bus): Promise<'locked' | 'unlocked' | 'none'> {
  const alias = await bus.call({
    ...service,
    interface: 'org.freedesktop.Secret.Service',
    member: 'ReadAlias',
    signature: 's',
    body: ['default'],
  });
  const path = alias.body[0];
  if (alias.error || typeof path !== 'string' || path === '/') return 'none';
  const locked = await bus.call({
    destination: service.destination,
    path,
    interface: 'org.freedesktop.DBus.Properties',
    member: 'Get',
    signature: 'ss',
    body: ['org.freedesktop.Secret.Collection', 'Locked'],
  });
  return locked.body[0] === true ? 'locked' : 'unlocked';
}

/** Path of the session bus's socket; abstract ones begin with a zero byte, as Node wants them. */
function socketOf(env: NodeJS.ProcessEnv): string | null {
  const addresses = env.DBUS_SESSION_BUS_ADDRESS;
  if (!addresses) return env.XDG_RUNTIME_DIR ? `${env.XDG_RUNTIME_DIR}/bus` : null;
  for (const address of addresses.split(';')) {
    const path = /^unix:(?:.*,)?path=([^,]+)/.exec(address)?.[1];
    if (path) return decodeURIComponent(path);
    const abstract = /^unix:(?:.*,)?abstract=([^,]+)/.exec(address)?.[1];
    if (abstract) return `\0${decodeURIComponent(abstract)}`;
  }
  return null;
}

type BusCall = {
  destination: string;
  path: string;
  interface: string;
  member: string;
  signature: string;
  body: unknown[];
};

class Bus {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  readonly #broken: Promise<never>;
  #serial = 0;

  private constructor(socket: Socket, broken: Promise<never>) {
    this.#socket = socket;
    this.#broken = broken;
  }

  static async open(path: string, within: number): Promise<Bus> {
    const socket = connect(path);
    const broken = new Promise<never>((_done, fail) => {
      socket.once('error', fail);
      socket.once('close', () => fail(new Error('it closed the connection')));
      socket.setTimeout(within, () => {
        fail(new Error(`no answer in ${within / 1000} s`));
        socket.destroy();
      });
    });
    // Each await below takes part in the race; between them nobody may be listening.
    broken.catch(() => {});
    const bus = new Bus(socket, broken);
    await Promise.race([bus.#introduce(), broken]);
    return bus;
  }

  async #introduce(): Promise<void> {
    const user = Buffer.from(String(process.getuid?.() ?? 0)).toString('hex');
    this.#socket.write(`\0AUTH EXTERNAL ${user}\r\n`);
    const answer = await new Promise<string>(done =>
      this.#socket.once('data', data => done(data.toString('latin1'))),
    );
    if (!answer.startsWith('OK')) throw new Error(`it refused this user: ${answer.trim()}`);
    this.#socket.write('BEGIN\r\n');
    readReplies(this.#socket, reply => {
      this.#waiting.get(reply.serial)?.(reply);
      this.#waiting.delete(reply.serial);
    });
    await this.call({
      destination: 'org.freedesktop.DBus',
      path: '/org/freedesktop/DBus',
      interface: 'org.freedesktop.DBus',
      member: 'Hello',
      signature: '',
      body: [],
    });
  }

  call(what: BusCall): Promise<Reply> {
    const serial = ++this.#serial;
    const answered = new Promise<Reply>(done => this.#waiting.set(serial, done));
    this.#socket.write(encodeCall({ ...what, serial }));
    return Promise.race([answered, this.#broken]);
  }

  close(): void {
    this.#socket.destroy();
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
