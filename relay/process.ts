// The relay as a process of the desktop (relay/protocol/relay-process.ts): it starts when it is told how, stops when it
// is told to or when the desktop is gone, and says in one line why it could not go on.

import { pino } from 'pino';
import type { Relay } from './context.ts';
import { keepMemorySmall } from './memory.ts';
import { type RelayOrder, type RelayReport, relayOrder } from './protocol/relay-process.ts';
import { startRelay } from './relay.ts';

/** What Electron gives a utility process in the place of Node's IPC channel. */
type ParentPort = {
  on(event: 'message', listener: (message: { data: unknown }) => void): void;
  postMessage(message: unknown): void;
};

const parentPort = (process as { parentPort?: ParentPort }).parentPort;
const log = pino({ level: 'info' }, pino.destination({ dest: 2, sync: true }));
let relay: Promise<Relay> | undefined;
let stopping = false;

keepMemorySmall();

function report(message: RelayReport): void {
  if (parentPort !== undefined) parentPort.postMessage(message);
  else if (process.connected) process.send?.(message);
}

function receive(message: unknown): void {
  const order = relayOrder.safeParse(message);
  if (!order.success) log.warn('An order was not understood');
  else if (order.data.type === 'stop') void stop(0);
  else void start(order.data);
}

async function start({
  selfSecret,
  type: _,
  ...options
}: Extract<RelayOrder, { type: 'start' }>): Promise<void> {
  if (relay !== undefined) return;
  const secret = selfSecret === undefined ? {} : { selfSecret: Buffer.from(selfSecret, 'hex') };
  relay = startRelay({ ...options, ...secret, log, onDamage: problem => void giveUp(problem) });
  try {
    const { url, http, self, owner } = await relay;
    report({ type: 'ready', url, http, self, owner });
  } catch (error) {
    await giveUp(error instanceof Error ? error.message : String(error));
  }
}

async function giveUp(reason: string): Promise<void> {
  report({ type: 'failed', reason });
  await stop(1);
}

async function stop(code: number): Promise<void> {
  if (stopping) process.exit(1);
  stopping = true;
  // A relay that could not start has nothing to close; the reason has been reported.
  await relay?.then(started => started.close()).catch(() => {});
  process.exit(code);
}

if (parentPort !== undefined) parentPort.on('message', ({ data }) => receive(data));
else process.on('message', receive);
process.on('disconnect', () => void stop(0));
process.on('SIGTERM', () => void stop(0));
process.on('SIGINT', () => void stop(0));
