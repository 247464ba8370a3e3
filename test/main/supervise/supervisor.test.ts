import { expect, test } from 'vitest';
import type { ProcessState } from '../../../main/contract/app.ts';
import { type Supervised, Supervisor, type SupervisorOptions } from '../../../main/supervise/supervisor.ts';

/** A supervisor over starts the test ends by hand, with a clock the test moves. */
function bench(options: Partial<SupervisorOptions> = {}) {
  const states: ProcessState[] = [];
  const starts: { end(reason: string): void; ready(): void }[] = [];
  let now = 1_000_000;
  let told: (() => void) | null = null;
  const supervisor = new Supervisor({
    now: () => now,
    random: () => 0,
    policy: { first: 1, longest: 8 },
    onState: state => {
      states.push(state);
      told?.();
    },
    start: async () => {
      const { promise: ended, resolve } = Promise.withResolvers<string>();
      const { promise: ready, resolve: isReady } = Promise.withResolvers<void>();
      starts.push({ end: resolve, ready: isReady });
      const child: Supervised = { pid: starts.length, ready, ended, stop: async () => resolve('stopped') };
      return child;
    },
    ...options,
  });
  const until = async (state: ProcessState['state']) => {
    while (supervisor.state.state !== state) {
      await new Promise<void>(resolve => {
        told = resolve;
      });
    }
    return supervisor.state;
  };
  return {
    supervisor,
    states,
    starts,
    until,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test('A1 an exit is told at once with its reason and started again', async () => {
  const { supervisor, starts, until } = bench();
  await supervisor.start();
  starts[0]!.ready();
  expect((await until('running')).pid).toBe(1);
  starts[0]!.end('ended by SIGKILL');
  const state = await until('backing-off');
  expect(state.reason).toBe('ended by SIGKILL');
  expect(state.retryAt).toBe(state.since + 1);
  await until('starting');
  starts[1]?.ready();
  expect((await until('running')).pid).toBe(2);
  expect(starts.length).toBe(2);
  await supervisor.stop();
});

test('F-52 five quick failures suspend it with the reason, and a person can start it again', async () => {
  const { supervisor, states, until } = bench({
    start: async () => {
      throw new Error('Could not start relay: spawn ENOENT');
    },
  });
  await supervisor.start();
  const state = await until('suspended');
  expect(state.reason).toContain('5 times');
  expect(state.reason).toContain('spawn ENOENT');
  expect(states.filter(each => each.state === 'suspended').length).toBe(1);
  expect(states.filter(each => each.state === 'backing-off').map(each => each.retryAt! - each.since)).toEqual(
    [1, 2, 4, 8],
  );
  await supervisor.start();
  expect((await until('backing-off')).reason).toContain('ENOENT');
  await supervisor.stop();
  expect(supervisor.state.state).toBe('stopped');
});

test('ten healthy minutes forgive earlier failures', async () => {
  const { supervisor, starts, until, pass } = bench();
  await supervisor.start();
  for (let round = 0; round < 4; round += 1) {
    starts[round]!.end('crash');
    await until('backing-off');
    await until('starting');
    while (starts.length < round + 2) await new Promise(resolve => setImmediate(resolve));
  }
  pass(600_000);
  starts[4]!.end('crash');
  const state = await until('backing-off');
  expect(state.retryAt! - state.since).toBe(1);
  await supervisor.stop();
});

test('A9 stopping what is not there is a stop like any other', async () => {
  const { supervisor, starts, until } = bench();
  await supervisor.stop();
  expect(supervisor.state.state).toBe('stopped');
  await supervisor.start();
  starts[0]!.end('gone');
  await until('backing-off');
  await supervisor.stop();
  expect(supervisor.state.state).toBe('stopped');
});

test('I15 a stop that comes during a start wins', async () => {
  const { supervisor, starts } = bench();
  const start = supervisor.start();
  await supervisor.stop();
  await start;
  expect(supervisor.state.state).toBe('stopped');
  expect(starts.length).toBeLessThanOrEqual(1);
});
