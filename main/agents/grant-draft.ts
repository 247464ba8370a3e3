// From the New agent form to a grant: its tags, its words, and every problem the relay or this machine would have
// with it, found before anything is signed.

import { stat } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { parseGrant } from '../../relay/protocol/grant.ts';
import { KIND } from '../../relay/protocol/kinds.ts';
import type { AgentDraft, GrantPreview } from '../contract/agents.ts';
import type { RoomSummary } from '../contract/rooms.ts';
import { grantWords } from './grant-words.ts';
import { findCommand } from './programs.ts';

/** What every runner of this desktop publishes besides jobs (seed "Run a local agent", spec/decisions.md 10). */
const RUNNER_KINDS: readonly number[] = [KIND.chat, KIND.presence, KIND.typing, KIND.deletion];
const DAY = 86_400;

/** Tags of the grant for an agent key; `now` in Unix seconds. */
export function grantTags(draft: AgentDraft, agent: string, now: number): string[][] {
  const kinds = [...new Set([...RUNNER_KINDS, ...draft.kinds])];
  return [
    ['d', agent],
    ['p', agent],
    ['name', draft.name],
    ['expiration', String(now + draft.days * DAY)],
    ...[...new Set(draft.rooms)].map(room => ['room', room]),
    ...kinds.map(kind => ['k', String(kind)]),
    ...(draft.jobs === 'none' ? [] : [['jobs', draft.jobs]]),
    ['rate', String(draft.rate)],
  ];
}

export type DraftSurroundings = {
  owner: string;
  rooms: RoomSummary[];
  /** Names of the agents there are. */
  names: string[];
  /** Folders in here are made when they are missing. */
  workFolder: string;
};

/** The grant a draft would become. The key stands in until one is made. */
export async function previewGrant(draft: AgentDraft, around: DraftSurroundings): Promise<GrantPreview> {
  const now = Math.floor(Date.now() / 1000);
  const agent = 'f'.repeat(64);
  const tags = grantTags(draft, agent, now);
  const event = {
    id: '',
    sig: '',
    pubkey: around.owner,
    kind: KIND.agentGrant,
    created_at: now,
    content: '',
    tags,
  };
  const parsed = parseGrant(event, now);
  const problems = await draftProblems(draft, around);
  if (!parsed.ok) {
    const { path, text } = refusedField(parsed.refusal);
    problems[path] ??= text;
  }
  const words = parsed.ok ? grantWords(parsed.value.scope, parsed.value.expires) : [];
  return {
    words,
    tags: tags.map(tag => tag.map(value => (value === agent ? '<agent key>' : value))),
    problems,
  };
}

async function draftProblems(draft: AgentDraft, around: DraftSurroundings): Promise<Record<string, string>> {
  const problems: Record<string, string> = {};
  draft.rooms.forEach((room, index) => {
    if (!around.rooms.some(each => each.id === room))
      problems[`rooms.${index}`] = `There is no room "${room}"`;
  });
  if (around.names.some(name => name.toLowerCase() === draft.name.toLowerCase())) {
    problems.name = 'Another agent has this name';
  }
  const { command, cwd } = draft.program;
  if ((await findCommand(command)) === null) {
    problems['program.command'] = /[\\/]/.test(command)
      ? `There is no program at ${command}`
      : `"${command}" was not found in the folders of your shell`;
  }
  const folder = await folderProblem(cwd, around.workFolder);
  if (folder !== null) problems['program.cwd'] = folder;
  return problems;
}

async function folderProblem(folder: string, workFolder: string): Promise<string | null> {
  if (!isAbsolute(folder)) return 'Give the whole path of the folder';
  try {
    return (await stat(folder)).isDirectory() ? null : `${folder} is not a folder`;
  } catch {
    return isInside(folder, workFolder) ? null : `There is no folder ${folder}`;
  }
}

/** True when the path lies below the folder. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
}

/** The form's field a refusal of the relay is about. */
export function refusedField(refusal: string): { path: string; text: string } {
  const text = refusal.replace(/^[a-z-]+: (agent grant )?/, '');
  const fields: [RegExp, string][] = [
    [/^rate/, 'rate'],
    [/^expiration/, 'days'],
    [/room/, 'rooms'],
    [/^k tag|kind/, 'kinds'],
    [/^jobs/, 'jobs'],
    [/^repo/, 'repos'],
    [/^sites/, 'sites'],
    [/^d tag/, 'pubkey'],
  ];
  const path = fields.find(([pattern]) => pattern.test(text))?.[1] ?? 'name';
  return { path, text: text.charAt(0).toUpperCase() + text.slice(1) };
}
