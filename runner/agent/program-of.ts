// The agent program of a runner and its bridge to the relay's tools, made from the runner's options.

import { resolve } from 'node:path';
import type { Signer } from '../../relay/client/signer.ts';
import { AcpProgram } from '../acp/acp-program.ts';
import type { Standing } from '../bridge/boundary.ts';
import { Bridge } from '../bridge/bridge.ts';
import { CommandProgram } from '../command/command-program.ts';
import { PROGRAM_TIMES, type Program, type ProgramSpec } from '../program.ts';
import type { Report } from '../status.ts';
import type { Journal } from './journal.ts';
import type { AgentOptions } from './options.ts';

export function bridgeOf(options: AgentOptions, signer: Signer, standing: Omit<Standing, 'pubkey'>): Bridge {
  const { relay, state, report, node = process.execPath } = options;
  const own = { pubkey: signer.pubkey, ...standing };
  return new Bridge({ relay, signer, file: resolve(state), node, standing: own, report });
}

export type ProgramParts = {
  options: AgentOptions;
  journal: Journal;
  /** `NAME: value` in the environment of everything the runner starts. */
  marks: Record<string, string>;
  bridge: Bridge;
  report: Report;
};

export function programOf({ options, journal, marks, bridge, report }: ProgramParts): Program {
  const { command, args, hiddenEnv } = options;
  const spec: ProgramSpec = { command, args, cwd: resolve(options.cwd), hiddenEnv, marks };
  const times = { ...PROGRAM_TIMES, ...options.times };
  if (options.protocol === 'command') return new CommandProgram({ spec, times, report });
  const memory = {
    get: (thread: string) => journal.state.sessions[thread],
    set: (thread: string, id: string) => {
      if (journal.state.sessions[thread] === id) return;
      journal.change(state => {
        delete state.sessions[thread];
        state.sessions[thread] = id;
      });
    },
  };
  return new AcpProgram({ spec, times, memory, report, mcpServers: () => bridge.servers() });
}
