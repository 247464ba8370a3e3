// The desktop's relay as a process of its own: options and its signing key go over the channel, its address comes
// back (relay/protocol/relay-process.ts; relay/process.ts is the other end).

import { type RelayOrder, relayReport } from '../../relay/protocol/relay-process.ts';
import type { LogLine } from '../contract/agents.ts';
import type { ProcessState } from '../contract/app.ts';
import { type ChildParts, exitWords, readLines, startChild } from './child.ts';
import { type Supervised, Supervisor } from './supervisor.ts';

export type RelayLaunch = {
  /** Module of the process: relay/process.ts. */
  entry: string;
  data: string;
  /** 0 picks a port, which is then kept across restarts. */
  port: number;
  owner: string;
  name: string;
  /** The relay's own signing key, in hex. */
  selfSecret(): Promise<string>;
};

export type RelayAddress = { url: string; http: string; self: string };

export type RelayProcessOptions = ChildParts & {
  launch: RelayLaunch;
  onState(state: ProcessState, address: RelayAddress | null): void;
  log(line: LogLine): void;
};

// A migration of a large store may take its time; a start that takes longer than this hangs.
const READY_WITHIN_MS = 120_000;
const PATIENCE_MS = 2_000;

export class RelayProcess {
  readonly #options: RelayProcessOptions;
  readonly #supervisor: Supervisor;
  #address: RelayAddress | null = null;
  #port: number;

  constructor(options: RelayProcessOptions) {
    this.#options = options;
    this.#port = options.launch.port;
    this.#supervisor = new Supervisor({
      start: () => this.#start(),
      onState: state => options.onState(state, this.#address),
    });
  }

  get state(): ProcessState {
    return this.#supervisor.state;
  }

  /** Where it answers; stays known while it restarts, because it keeps its port. */
  get address(): RelayAddress | null {
    return this.#address;
  }

  start(): Promise<void> {
    return this.#supervisor.start();
  }

  stop(): Promise<void> {
    return this.#supervisor.stop();
  }

  async restart(): Promise<void> {
    await this.#supervisor.stop();
    await this.#supervisor.start();
  }

  async #start(): Promise<Supervised> {
    const { launch, ledger, spawner, log } = this.#options;
    const secret = await launch.selfSecret();
    const child = await startChild(
      { ledger, spawner },
      {
        what: 'relay',
        name: 'tiny relay',
        entry: launch.entry,
        args: [],
        channel: 'messages',
        patience: PATIENCE_MS,
      },
    );
    const { spawned } = child;
    let lastWords = '';
    const { promise: ready, resolve: isReady } = Promise.withResolvers<void>();
    const late = setTimeout(() => {
      lastWords = `it was not ready within ${READY_WITHIN_MS / 1000} s`;
      spawned.kill(true);
    }, READY_WITHIN_MS);
    spawned.onMessage(message => {
      const parsed = relayReport.safeParse(message);
      if (!parsed.success) return;
      clearTimeout(late);
      if (parsed.data.type === 'failed') {
        lastWords = parsed.data.reason;
        return;
      }
      const { url, http, self } = parsed.data;
      this.#address = { url, http, self };
      this.#port = Number(new URL(http).port);
      isReady();
    });
    const write = (level: LogLine['level']) => (text: string) => {
      if (level !== 'info' && text.trim() !== '') lastWords = text.trim().slice(0, 500);
      log({ at: Date.now(), level, source: 'relay', text });
    };
    readLines(spawned.stdout, 16_000, write('info'));
    readLines(spawned.stderr, 16_000, write('warn'));
    const { data, owner, name } = launch;
    const say = (order: RelayOrder) => spawned.send(order);
    say({ type: 'start', data, owner, name, port: this.#port, host: '127.0.0.1', selfSecret: secret });
    const ended = child.ended.then(exit => {
      clearTimeout(late);
      return lastWords === '' ? exitWords(exit) : `${exitWords(exit)}: ${lastWords}`;
    });
    return { pid: spawned.pid, ready, ended, stop: () => child.stop(() => say({ type: 'stop' })) };
  }
}
