// Just enough of a D-Bus client to ask a session bus a question (Linux).

import { connect, type Socket } from 'node:net';
import { encodeCall, type Reply, readReplies } from './wire.ts';

/** Path of the session bus's socket; abstract ones begin with a zero byte, as Node wants them. */
export function sessionBusSocket(env: NodeJS.ProcessEnv): string | null {
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

export type BusCall = {
  destination: string;
  path: string;
  interface: string;
  member: string;
  signature: string;
  body: unknown[];
};

/** A connection to a message bus. Its calls reject when the bus goes silent or away. */
export class Bus {
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
