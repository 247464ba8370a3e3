// Health: each check with what was found and what to do about it, the processes of the program, its log.

import { statfs } from 'node:fs/promises';
import type { Agents } from './agents.ts';
import type { AppState, ProcessState } from './contract/app.ts';
import type { Handlers } from './contract/features.ts';
import type { HealthCheck } from './contract/health.ts';
import type { Logs } from './logs.ts';
import type { RelayLink } from './relay-link.ts';
import type { Ledger, Leftover } from './supervise/ledger.ts';

export type HealthParts = {
  home: string;
  relay: { readonly state: ProcessState };
  link: Pick<RelayLink, 'state' | 'url'>;
  ledger: Ledger;
  /** What the start before this one left behind. */
  leftovers: Leftover[];
  agents: Pick<Agents, 'list'>;
  vault(): AppState['vault'];
  logs: Pick<Logs, 'tail'>;
};

export type Health = { handlers: Handlers<'health'> };

type Finding = Omit<HealthCheck, 'at'>;

const LOW_DISK_BYTES = 1024 ** 3;
const HIGH_MEMORY_BYTES = 6 * 1024 ** 3;

/** Opens the feature. */
export function createHealth(parts: HealthParts): Health {
  const { ledger, logs, agents } = parts;
  return {
    handlers: {
      async check() {
        const found = await Promise.all([
          relayCheck(parts),
          connectionCheck(parts),
          vaultCheck(parts.vault()),
          agentsCheck(parts),
          deliveryCheck(parts),
          leftoverCheck(parts.leftovers),
          diskCheck(parts.home),
          memoryCheck(ledger),
        ]);
        const at = Date.now();
        return found.map(finding => ({ ...finding, at }));
      },
      async processes() {
        const programs = new Map(agents.list().map(({ child, name }) => [child?.pid, `program of ${name}`]));
        const rows = await ledger.processes();
        return rows.map(({ pid, parent, what, since, memory }) => ({
          pid,
          parent,
          what: programs.get(pid) ?? what,
          since: Math.max(0, since),
          ...(memory === undefined ? {} : { memory }),
        }));
      },
      log: ({ limit }) => logs.tail(limit),
    },
  };
}

function relayCheck({ relay }: HealthParts): Finding {
  const { state, reason } = relay.state;
  const check = { id: 'relay', name: 'Relay' };
  if (state === 'running') return { ...check, state: 'good', finding: 'The relay runs' };
  const finding = `The relay is ${state.replace('-', ' ')}${reason ? `: ${reason}` : ''}`;
  if (state === 'starting') return { ...check, state: 'warning', finding };
  const advice =
    state === 'suspended' ? 'See the log for why, then start the relay again' : 'It is started again';
  return { ...check, state: 'bad', finding, advice };
}

function connectionCheck({ link }: HealthParts): Finding {
  const { state, reason } = link.state;
  const check = { id: 'connection', name: 'Connection to the relay' };
  if (state === 'online') return { ...check, state: 'good', finding: `Connected to ${link.url}` };
  return {
    ...check,
    state: 'bad',
    finding: `Not connected to ${link.url}${reason ? `: ${reason}` : ''}`,
    advice: 'It is tried again by itself',
  };
}

function vaultCheck(vault: AppState['vault']): Finding {
  const check = { id: 'vault', name: 'Keys' };
  const holder =
    vault.backend === 'keychain'
      ? `the ${vault.backendName}`
      : vault.backend === 'passphrase'
        ? 'a passphrase'
        : 'nothing';
  if (vault.state !== 'open') {
    const finding = vault.problem ?? `The vault is ${vault.state}`;
    return { ...check, state: 'bad', finding, advice: 'Unlock the vault' };
  }
  const finding = `Sealed by ${holder}${vault.problem ? ` (${vault.problem})` : ''}`;
  return { ...check, state: 'good', finding };
}

function agentsCheck({ agents }: HealthParts): Finding {
  const check = { id: 'agents', name: 'Agents' };
  const all = agents.list().filter(agent => agent.local);
  const stuck = all.filter(agent => agent.state === 'suspended' || agent.state === 'backing-off');
  if (stuck.length === 0) {
    const running = all.filter(agent => agent.process?.state === 'running').length;
    return { ...check, state: 'good', finding: `${running} of ${all.length} run` };
  }
  const finding = stuck.map(agent => `${agent.name}: ${agent.reason ?? agent.state}`).join('; ');
  return { ...check, state: 'bad', finding, advice: 'Open the agent to see its log and start it again' };
}

function deliveryCheck({ agents }: HealthParts): Finding {
  const check = { id: 'delivery', name: 'Replies' };
  const waiting = agents.list().filter(agent => agent.undelivered > 0);
  if (waiting.length === 0)
    return { ...check, state: 'good', finding: 'Everything agents wrote was delivered' };
  const finding = waiting.map(agent => `${agent.name}: ${agent.undelivered} not delivered yet`).join('; ');
  return { ...check, state: 'warning', finding, advice: 'They are sent again by themselves' };
}

function leftoverCheck(leftovers: Leftover[]): Finding {
  const check = { id: 'leftovers', name: 'Earlier start' };
  if (leftovers.length === 0)
    return { ...check, state: 'good', finding: 'The last stop left nothing behind' };
  const names = leftovers.map(each => `${each.what} (${each.pid})`).join(', ');
  const alive = leftovers.filter(each => !each.ended);
  if (alive.length === 0) {
    return { ...check, state: 'warning', finding: `Ended what an earlier start left behind: ${names}` };
  }
  return {
    ...check,
    state: 'bad',
    finding: `Could not be ended: ${alive.map(each => `${each.what} (${each.pid})`).join(', ')}`,
    advice: 'End them by hand',
  };
}

async function diskCheck(home: string): Promise<Finding> {
  const check = { id: 'disk', name: 'Disk' };
  const { bavail, bsize } = await statfs(home);
  const free = bavail * bsize;
  const finding = `${(free / 1024 ** 3).toFixed(1)} GB free for ${home}`;
  if (free >= LOW_DISK_BYTES) return { ...check, state: 'good', finding };
  return {
    ...check,
    state: 'warning',
    finding,
    advice: 'Make room: a full disk stops the relay from storing',
  };
}

async function memoryCheck(ledger: Ledger): Promise<Finding> {
  const check = { id: 'memory', name: 'Memory' };
  const rows = await ledger.processes();
  const bytes = rows.reduce((sum, row) => sum + (row.memory ?? 0), 0);
  const finding = `${rows.length} processes, ${Math.round(bytes / 1024 ** 2)} MB together`;
  if (bytes < HIGH_MEMORY_BYTES) return { ...check, state: 'good', finding };
  return { ...check, state: 'warning', finding, advice: 'Stop agents that are not needed' };
}
