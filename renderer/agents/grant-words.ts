// Parts of a grant in words: kinds by what they are, tasks and wiki by what they allow.

import type { GrantScope } from '../../main/contract/agents.ts';
import { KIND } from '../../relay/protocol/kinds.ts';

const KINDS: Readonly<Record<number, string>> = {
  [KIND.profile]: 'profile',
  [KIND.note]: 'notes',
  [KIND.deletion]: 'taking back its own',
  [KIND.reaction]: 'reactions',
  [KIND.chat]: 'room messages',
  [KIND.thread]: 'threads',
  [KIND.threadReply]: 'thread replies',
  [KIND.comment]: 'comments',
  [KIND.patch]: 'patches',
  [KIND.pullRequest]: 'pull requests',
  [KIND.pullRequestUpdate]: 'pull request updates',
  [KIND.issue]: 'issues',
  [KIND.relayList]: 'relay list',
  [KIND.presence]: 'presence',
  [KIND.typing]: 'typing',
  [KIND.article]: 'articles',
  [KIND.repositoryState]: 'repository state',
  [KIND.wikiPage]: 'wiki pages',
  [KIND.edit]: 'edits',
  [KIND.richContent]: 'rich messages',
  [KIND.jobRequest]: 'task requests',
  [KIND.jobAccepted]: 'task accepted',
  [KIND.jobProgress]: 'task progress',
  [KIND.jobResult]: 'task results',
  [KIND.jobCancel]: 'task cancels',
  [KIND.jobError]: 'task errors',
};

/** A kind as "room messages (9)", or "kind 12345" for one without a name. */
export function kindWord(kind: number): string {
  const word = KINDS[kind];
  return word === undefined ? `kind ${kind}` : `${word} (${kind})`;
}

export function kindWords(kinds: readonly number[]): string {
  if (kinds.length === 0) return 'only its profile and relay list';
  return [...kinds]
    .sort((a, b) => a - b)
    .map(kindWord)
    .join(', ');
}

export function jobWords(jobs: GrantScope['jobs']): string {
  if (jobs === undefined) return 'no';
  if (jobs === 'both') return 'asks and answers';
  return jobs === 'serve' ? 'answers' : 'asks';
}

export function wikiWords(wiki: NonNullable<GrantScope['wiki']>): string {
  return wiki === 'edit' ? 'edits pages at once' : 'proposes pages, each waits for approval';
}

/** What a grant covers in one line for the table. */
export function coverWords(scope: GrantScope): string {
  const parts = [
    scope.rooms.map(room => `#${room}`).join(', '),
    scope.repos.map(repo => `${repo.identifier} (${repo.level})`).join(', '),
    scope.wiki === undefined ? '' : `wiki ${scope.wiki}`,
    scope.jobs === undefined ? '' : 'tasks',
    scope.sites === undefined || scope.sites.length === 0 ? '' : 'sites',
  ];
  return parts.filter(part => part !== '').join('; ') || 'its profile only';
}
