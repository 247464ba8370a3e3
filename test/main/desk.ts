// A whole desktop without a window, for tests: the real boot, relay, vault and runners, and a shell that only writes
// down what it is told.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { boot, type Program } from '../../main/boot.ts';
import type { Bridge } from '../../main/bridge.ts';
import type { AgentDraft, AgentView } from '../../main/contract/agents.ts';
import type { Failure } from '../../main/contract/contract.ts';
import type { CallInput, CallName, CallResult, PushName, PushValue } from '../../main/contract/features.ts';
import type { Banner } from '../../main/contract/notices.ts';
import { openHome } from '../../main/home.ts';
import { programFiles } from '../../main/program-files.ts';
import type { Shell, ShellEvents, TrayModel } from '../../main/shell/shell.ts';
import { nodeSpawner } from '../../main/supervise/spawner.ts';
import { living, scratch } from './supervise/family.ts';

/** A call that did not do what was asked, with the whole failure. */
export class Refused extends Error {
  readonly failure: Failure;
  constructor(name: string, failure: Failure) {
    super(`${name}: ${failure.kind}: ${failure.message} ${failure.details ?? ''}`);
    this.failure = failure;
  }
}

export type Desk = {
  home: string;
  owner: string;
  call<N extends CallName>(name: N, args: CallInput<N>): Promise<CallResult<N>>;
  /** The first push of that name, past or to come, that fits. */
  until<N extends PushName>(name: N, fits: (value: PushValue<N>) => boolean): Promise<PushValue<N>>;
  banners: Banner[];
  tray: TrayModel | null;
  events: ShellEvents;
  program: Program;
  /** Stops it and proves that nothing of it is left, in memory or on disk. */
  stop(): Promise<void>;
};

export const PASSPHRASE = 'only for tests';

/** Starts a desktop in `home`; resolves when its relay answers and its features are open. */
export async function startDesk(
  home: string = scratch(),
  onPush: (name: PushName, value: unknown) => void = () => {},
): Promise<Desk> {
  const pushes = new Pushes(onPush);
  const recorded: { banners: Banner[]; tray: TrayModel | null } = { banners: [], tray: null };
  let door: Bridge | null = null;
  let events: ShellEvents | null = null;
  const program = await boot({
    home: openHome(home, {}),
    files: programFiles(),
    spawner: nodeSpawner(),
    relayPort: 0,
    passphrase: PASSPHRASE,
    async openShell(parts) {
      door = parts.bridge;
      events = parts.events;
      return recordingShell(pushes, recorded);
    },
    onQuit() {},
  });
  await program.begun;
  const desk: Desk = {
    home,
    owner: program.app.state().owner?.pubkey ?? '',
    async call(name, args) {
      const reply = await door!.call(name, args, { page: 'test' });
      if (!reply.ok) throw new Refused(name, reply.failure);
      return reply.value as never;
    },
    until: (name, fits) => pushes.until(name, fits),
    banners: recorded.banners,
    get tray() {
      return recorded.tray;
    },
    events: events!,
    program,
    async stop() {
      const pids = await childrenOf(desk);
      await program.stop();
      const left = await living(pids);
      rmSync(home, { recursive: true, force: true });
      if (left.length > 0) throw new Error(`still running: ${left.join(', ')}`);
    },
  };
  await roomNamed(desk, 'general');
  return desk;
}

/** A draft of the demo agent in a working folder of its own. */
export function demoDraft(desk: { home: string }, more: Partial<AgentDraft> = {}): AgentDraft {
  const cwd = join(desk.home, 'demo-work');
  mkdirSync(cwd, { recursive: true });
  return {
    name: 'Demo',
    program: { command: process.execPath, args: [programFiles().demoAgent], cwd, protocol: 'acp' },
    rooms: ['general'],
    jobs: 'both',
    kinds: [],
    rate: 600,
    days: 30,
    limits: { runMinutes: 30, promptSeconds: 600, onExpiry: 'refuse' },
    ...more,
  };
}

/** The agent once it is in one of these states. */
export async function agentIn(
  desk: Desk,
  pubkey: string,
  ...states: AgentView['state'][]
): Promise<AgentView> {
  const now = await desk.call('agents.get', { pubkey });
  if (states.includes(now.state)) return now;
  return desk.until('agents.changed', view => view.pubkey === pubkey && states.includes(view.state));
}

/** Pids of everything the desktop started that runs now. */
export async function childrenOf(desk: Desk): Promise<number[]> {
  const rows = await desk.call('health.processes', {});
  return rows.map(row => row.pid).filter(pid => pid !== process.pid);
}

/** Program of a misbehaving agent from test/fixtures/agents. */
export function fixtureDraft(desk: { home: string }, file: string, ...args: string[]): AgentDraft {
  const path = join(programFiles().root, 'test', 'fixtures', 'agents', file);
  const draft = demoDraft(desk, { name: file });
  return { ...draft, program: { ...draft.program, args: [path, ...args] } };
}

async function roomNamed(desk: Desk, id: string): Promise<void> {
  if ((await desk.call('rooms.list', {})).some(room => room.id === id)) return;
  await desk.until('rooms.changed', rooms => rooms.some(room => room.id === id));
}

/** Every push so far, and whoever waits for one. */
export class Pushes {
  readonly #past: { name: PushName; value: unknown }[] = [];
  readonly #waiting = new Set<(name: PushName, value: unknown) => void>();
  readonly #onPush: (name: PushName, value: unknown) => void;

  constructor(onPush: (name: PushName, value: unknown) => void = () => {}) {
    this.#onPush = onPush;
  }

  add(name: PushName, value: unknown): void {
    // As it was then: main may go on changing the object.
    const copy = structuredClone(value);
    this.#past.push({ name, value: copy });
    this.#onPush(name, copy);
    for (const look of [...this.#waiting]) look(name, copy);
  }

  until<N extends PushName>(name: N, fits: (value: PushValue<N>) => boolean): Promise<PushValue<N>> {
    for (const push of this.#past.toReversed()) {
      if (push.name === name && fits(push.value as PushValue<N>))
        return Promise.resolve(push.value as PushValue<N>);
    }
    return new Promise(resolve => {
      const look = (pushed: PushName, value: unknown) => {
        if (pushed !== name || !fits(value as PushValue<N>)) return;
        this.#waiting.delete(look);
        resolve(value as PushValue<N>);
      };
      this.#waiting.add(look);
    });
  }
}

function recordingShell(pushes: Pushes, recorded: { banners: Banner[]; tray: TrayModel | null }): Shell {
  return {
    name: 'browser',
    dashboard: null,
    open: async () => {},
    push: (name, value) => pushes.add(name, value),
    async showBanner(banner) {
      recorded.banners.push(banner);
      return { outcome: 'shown' };
    },
    closeBanner() {},
    report() {},
    setTray(model) {
      recorded.tray = model;
    },
    setBadge() {},
    loginItem: null,
    reveal() {},
    locked: () => false,
    close: async () => {},
  };
}
