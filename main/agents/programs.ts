// Programs on this machine that can be an agent: the demo that ships, and ACP programs found in the login shell's
// PATH and in known folders.

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import type { FoundProgram } from '../contract/agents.ts';
import { forgetSearchPath, searchPath } from './shell-path.ts';

type Candidate = { id: string; name: string; description: string; command: string; args: string[] };

/** What speaks the Agent Client Protocol on standard input, as its makers document it. */
const CANDIDATES: Candidate[] = [
  candidate('claude', 'Claude', 'Claude by its ACP adapter', 'claude-agent-acp'),
  candidate('claude-code', 'Claude Code', 'Claude Code by its earlier ACP adapter', 'claude-code-acp'),
  candidate('codex', 'Codex', 'Codex by its ACP adapter', 'codex-acp'),
  candidate('gemini', 'Gemini', 'Gemini CLI', 'gemini', '--acp'),
  candidate('opencode', 'OpenCode', 'OpenCode', 'opencode', 'acp'),
  candidate('qwen', 'Qwen Code', 'Qwen Code', 'qwen', '--acp'),
  candidate('copilot', 'Copilot', 'GitHub Copilot CLI', 'copilot', '--acp'),
  candidate('goose', 'Goose', 'Goose', 'goose', 'acp'),
  candidate('cursor', 'Cursor', 'Cursor agent', 'cursor-agent', 'acp'),
  candidate('kimi', 'Kimi', 'Kimi CLI', 'kimi', 'acp'),
  candidate('auggie', 'Auggie', 'Augment CLI', 'auggie', '--acp'),
];

function candidate(
  id: string,
  name: string,
  description: string,
  command: string,
  ...args: string[]
): Candidate {
  return { id, name, description, command, args };
}

/** How the demo agent that ships is started. */
export type Shipped = { command: string; args: string[] };

/** Looks anew; answers what was found and every place that was looked into. */
export async function findPrograms(demo: Shipped): Promise<{ found: FoundProgram[]; searched: string[] }> {
  forgetSearchPath();
  const { folders, notes } = await searchPath();
  const found: FoundProgram[] = [
    {
      id: 'demo',
      name: 'Demo agent',
      description: 'Ships with the program. Greets, asks before it writes a file, says what it did.',
      ...demo,
      protocol: 'acp',
      source: 'shipped',
    },
  ];
  const looked = await Promise.all(
    CANDIDATES.map(async each => ({ each, at: await findCommand(each.command) })),
  );
  for (const { each, at } of looked) {
    if (at === null) continue;
    const { command: _, ...rest } = each;
    found.push({ ...rest, command: at.path, protocol: 'acp', source: at.folder });
  }
  return { found, searched: [...notes, ...folders] };
}

export type FoundCommand = { path: string; folder: string };

/** The executable a command names: itself when it is a path, else the first of that name in the search path. */
export async function findCommand(command: string): Promise<FoundCommand | null> {
  if (isAbsolute(command) || /[\\/]/.test(command)) {
    const path = isAbsolute(command) ? command : null;
    return path !== null && (await isExecutable(path)) ? { path, folder: join(path, '..') } : null;
  }
  const { folders } = await searchPath();
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];
  for (const folder of folders) {
    for (const ending of endings) {
      const path = join(folder, command + ending);
      if (await isExecutable(path)) return { path, folder };
    }
  }
  return null;
}

/** PATH for an agent's program: what the person's own terminal would have. */
export async function programPath(): Promise<string> {
  return (await searchPath()).folders.join(delimiter);
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return false;
    if (process.platform !== 'win32') await access(path, constants.X_OK);
    return true;
  } catch {
    // Not there, not ours to run: either way it cannot be started.
    return false;
  }
}
