// What a person has to do when an ACP program wants its user to sign in (spec/mcp-acp.md C1, step 2). The runner has
// no terminal and no browser, so it only says it.

import type { InitializeResponse } from '@agentclientprotocol/sdk';
import type { ProgramSpec } from '../program.ts';
import { fields, list, text } from './updates.ts';

/** One sentence with every way to sign in that the program offers. */
export function authenticationHelp(spec: ProgramSpec, init: InitializeResponse | null, said: string): string {
  const ways = list(init?.authMethods).map(method => way(spec, fields(method)));
  const how = ways.length === 0 ? 'as its instructions say' : `with one of: ${ways.join('; ')}`;
  const asked = said || 'authentication required';
  return `needs you to sign in first (it said: ${asked}). Start it once by hand and sign in ${how}. Then start the agent again`;
}

function way(spec: ProgramSpec, method: Record<string, unknown>): string {
  const name = text(method.name) || text(method.id);
  const description = text(method.description);
  const about = description === '' ? name : `${name} (${description})`;
  if (method.type === 'terminal') {
    const line = [spec.command, ...spec.args, ...list(method.args).map(text)].join(' ');
    return `${about}: run \`${line}\` in a terminal`;
  }
  const own = fields(fields(method._meta)['terminal-auth']);
  if (typeof own.command === 'string') {
    return `${about}: run \`${[own.command, ...list(own.args).map(text)].join(' ')}\` in a terminal`;
  }
  if (method.type === 'env_var') {
    const names = list(method.vars)
      .map(entry => text(fields(entry).name))
      .filter(entry => entry !== '');
    return `${about}: set ${names.join(', ') || text(method.varName)} where the agent is started`;
  }
  return about;
}
