// The ready line of design.md; what is not there yet is null, and `locked` or `problem` says why.

import type { Program } from './boot.ts';

export type ReadyLine = {
  ready: true;
  dashboard: string | null;
  relay: string | null;
  owner: string | null;
  locked?: true;
  problem?: string;
};

export function readyLine({ app, shell }: Pick<Program, 'app' | 'shell'>): ReadyLine {
  const { vault, relay, owner } = app.state();
  const open = vault.state === 'open';
  const running = relay.state === 'running';
  const problem = vault.problem ?? (running ? undefined : relay.reason);
  return {
    ready: true,
    dashboard: shell.dashboard,
    relay: running ? relay.url : null,
    owner: owner?.pubkey ?? null,
    ...(open ? {} : { locked: true }),
    ...(open && running ? {} : problem === undefined ? {} : { problem }),
  };
}
