// A grant and its proposed replacement, field by field, with what is gone, new and the same (seed "Requesting additional
// access"). Pure.

import type { GrantScope, GrantView } from '../../main/contract/agents.ts';
import { jobWords, kindWord, wikiWords } from '../agents/grant-words.ts';

/** `same`: on both sides. `removed`: only before. `added`: only after. */
export type Entry = { text: string; mark: 'same' | 'added' | 'removed' };
export type FieldDiff = { field: string; before: Entry[]; after: Entry[]; differs: boolean };

/** Every field of the grant, in the order of the seed's card; unchanged ones too, so that nothing hides. */
export function grantDiff(before: GrantView, after: GrantView): FieldDiff[] {
  const ends = (grant: GrantView) => [new Date(grant.expires * 1000).toLocaleString()];
  return [
    field('Name', [before.name], [after.name]),
    field('Rooms', rooms(before.scope), rooms(after.scope)),
    field('Repositories', repos(before.scope), repos(after.scope)),
    field('Wiki', wiki(before.scope), wiki(after.scope)),
    field('Sites', sites(before.scope), sites(after.scope)),
    field('Long tasks', [jobWords(before.scope.jobs)], [jobWords(after.scope.jobs)]),
    field('Kinds', kinds(before.scope), kinds(after.scope)),
    field('Rate', [rate(before.scope)], [rate(after.scope)]),
    field('Expires', ends(before), ends(after)),
  ];
}

function field(name: string, before: string[], after: string[]): FieldDiff {
  const marked = (own: string[], other: string[], mark: 'added' | 'removed'): Entry[] =>
    own.map(text => ({ text, mark: other.includes(text) ? 'same' : mark }));
  const left = marked(before, after, 'removed');
  const right = marked(after, before, 'added');
  return {
    field: name,
    before: left,
    after: right,
    differs: [...left, ...right].some(({ mark }) => mark !== 'same'),
  };
}

const rooms = (scope: GrantScope) => scope.rooms.map(room => `#${room}`);
const repos = (scope: GrantScope) =>
  scope.repos.map(({ owner, identifier, level }) => `${identifier} of ${owner.slice(0, 8)}…: ${level}`);
const wiki = (scope: GrantScope) => (scope.wiki === undefined ? [] : [wikiWords(scope.wiki)]);
const kinds = (scope: GrantScope) => [...scope.kinds].sort((a, b) => a - b).map(kindWord);
const rate = (scope: GrantScope) => `${scope.rate} events a minute`;

function sites(scope: GrantScope): string[] {
  return (scope.sites ?? []).map(({ label, ttl, encrypted }) => {
    const which = label === '*' ? 'every site of its own' : label;
    return `${which}${ttl === undefined ? '' : `, for ${ttl} days`}${encrypted === true ? ', encrypted' : ''}`;
  });
}
