// A callback in words: what it waits for, how it stands and since when, how many there are. Pure.

import type { CallbackLogEntry, CallbackView } from '../../main/contract/callbacks.ts';
import { KIND } from '../../relay/protocol/kinds.ts';
import type { StateName } from '../parts/states.ts';

/** How keys and rooms are called. */
export type Names = { party(pubkey: string): string; room(id: string): string };

const KINDS: Readonly<Record<number, string>> = {
  [KIND.note]: 'notes',
  [KIND.reaction]: 'reactions',
  [KIND.chat]: 'messages',
  [KIND.thread]: 'messages',
  [KIND.threadReply]: 'messages',
  [KIND.comment]: 'comments',
  [KIND.patch]: 'patches',
  [KIND.pullRequest]: 'pull requests',
  [KIND.pullRequestUpdate]: 'pull request updates',
  [KIND.issue]: 'issues',
  [KIND.article]: 'articles',
  [KIND.agentGrant]: 'agent grants',
  [KIND.repositoryState]: 'pushes',
  [KIND.wikiPage]: 'wiki pages',
  [KIND.jobRequest]: 'job requests',
  [KIND.jobAccepted]: 'accepted jobs',
  [KIND.jobProgress]: 'job progress',
  [KIND.jobResult]: 'job results',
  [KIND.jobCancel]: 'cancelled jobs',
  [KIND.jobError]: 'failed jobs',
};

/** "Messages in #build that name Scribe". */
export function waitWords(filter: CallbackView['filter'], names: Names): string {
  const kinds = [...new Set(filter.kinds.map(kind => KINDS[kind] ?? `kind ${kind}`))];
  const parts = [
    listed(kinds, 'and'),
    phrase('by', filter.authors?.map(names.party)),
    phrase(
      'in',
      filter['#h']?.map(id => `#${names.room(id)}`),
    ),
    phrase('in', filter['#a']?.map(placeWord)),
    phrase(
      'on',
      filter['#e']?.map(id => `event ${id.slice(0, 8)}`),
    ),
    phrase('that name', filter['#p']?.map(names.party)),
  ];
  const words = parts.filter(part => part !== '').join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function phrase(before: string, values: readonly string[] | undefined): string {
  return values === undefined ? '' : `${before} ${listed(values, 'or')}`;
}

function listed(words: readonly string[], last: 'and' | 'or'): string {
  if (words.length <= 2) return words.join(` ${last} `);
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}

/** The last part of an address: a repository is known by its identifier. */
function placeWord(address: string): string {
  const [kind, , ...identifier] = address.split(':');
  const name = identifier.join(':');
  return kind === String(KIND.repository) ? name : `${kind} ${name}`.trim();
}

/** Failing is a state of its own: it goes on, but somebody should look. */
export function callbackState({ paused, failures }: CallbackView): StateName {
  if (paused) return 'paused';
  return failures > 0 ? 'failing' : 'active';
}

/** Why it is in its state, or what came of the last POST. */
export function statusWords({ paused, failures, lastStatus, lastDelivery }: CallbackView): string {
  // A pause that somebody ordered leaves the status of the last POST as it was.
  if (paused) return /^paused: (.*)$/.exec(lastStatus)?.[1] ?? 'paused by a person';
  if (failures > 0) return `${lastStatus}, ${failures === 1 ? 'once' : `${failures} times in a row`}`;
  return lastDelivery === 0 ? 'nothing sent yet' : lastStatus;
}

export type CallbackCounts = { active: number; paused: number; failing: number };

/** Failing ones are active too. */
export function countCallbacks(callbacks: readonly CallbackView[]): CallbackCounts {
  const counts = { active: 0, paused: 0, failing: 0 };
  for (const callback of callbacks) {
    if (callback.paused) counts.paused += 1;
    else counts.active += 1;
    if (callbackState(callback) === 'failing') counts.failing += 1;
  }
  return counts;
}

/** "2 active, 1 paused". */
export function countWords({ active, paused }: CallbackCounts): string {
  return paused === 0 ? `${active} active` : `${active} active, ${paused} paused`;
}

/** What came of one POST. */
export function outcomeWords({ outcome, status, attempt, milliseconds }: CallbackLogEntry): string {
  const what = outcome === '' ? `HTTP ${status}` : outcome;
  const again = attempt > 1 ? `, attempt ${attempt}` : '';
  return milliseconds === 0 && status === 0 ? `${what}${again}` : `${what} in ${milliseconds} ms${again}`;
}

/** Callbacks by whose they are: the person's own first, then in the order of the list. */
export function byOwner(callbacks: readonly CallbackView[], me: string): [string, CallbackView[]][] {
  const groups = new Map<string, CallbackView[]>();
  for (const callback of callbacks) {
    const group = groups.get(callback.owner) ?? [];
    groups.set(callback.owner, group);
    group.push(callback);
  }
  return [...groups].sort(([one], [other]) => Number(other === me) - Number(one === me));
}
