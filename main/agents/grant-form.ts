// From the whole grant form to a grant and back to what is wrong with it (seed "Add an agent"): any scope, for a key that
// runs anywhere. The New agent form of this machine is grant-draft.ts.

import { parseGrant } from '../../relay/protocol/grant.ts';
import { KIND } from '../../relay/protocol/kinds.ts';
import type { GrantDraft, GrantPreview } from '../contract/agents.ts';
import { refusedField } from './grant-draft.ts';
import { grantWords } from './grant-words.ts';

/** Tags the form speaks for; every other tag of a grant is kept as it is when the grant is replaced. */
const OWN_TAGS = new Set([
  'd',
  'p',
  'name',
  'expiration',
  'room',
  'repo',
  'k',
  'wiki',
  'jobs',
  'sites',
  'rate',
  'grant-request',
  'grant-base',
]);

/** Tags of the grant for an agent key; `before` are those of the grant it replaces. */
export function grantFormTags(draft: GrantDraft, agent: string, before: string[][] = []): string[][] {
  const kept = before.filter(([name = '', , , mark]) => !OWN_TAGS.has(name) && mark !== 'grant-request');
  return [
    ['d', agent],
    ['p', agent],
    ...(draft.name === '' ? [] : [['name', draft.name]]),
    ['expiration', String(draft.expires)],
    ...[...new Set(draft.rooms)].map(room => ['room', room]),
    ...draft.repos.map(({ owner, identifier, level }) => ['repo', `${owner}:${identifier}:${level}`]),
    ...[...new Set(draft.kinds)].map(kind => ['k', String(kind)]),
    ...(draft.wiki === 'none' ? [] : [['wiki', draft.wiki]]),
    ...(draft.jobs === 'none' ? [] : [['jobs', draft.jobs]]),
    ...draft.sites.map(({ label, ttl, encrypted }) => [
      'sites',
      label,
      ...(ttl === undefined ? [] : [`ttl=${ttl}`]),
      ...(encrypted === true ? ['encrypted'] : []),
    ]),
    ['rate', String(draft.rate)],
    ...kept,
  ];
}

export type FormSurroundings = {
  owner: string;
  /** Ids of the rooms there are. */
  rooms: string[];
  /** Names of other agents with a grant that holds. */
  names: string[];
  /** Rooms the grant had before; it may keep one that is gone. */
  before?: string[];
};

const STAND_IN = 'f'.repeat(64);

/** The grant a form would become; `agent` is null while its key is not made yet. */
export function previewForm(draft: GrantDraft, agent: string | null, around: FormSurroundings): GrantPreview {
  const now = Math.floor(Date.now() / 1000);
  const key = agent ?? STAND_IN;
  const tags = grantFormTags(draft, key);
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
  const problems = formProblems(draft, agent, around, now);
  if (!parsed.ok) {
    const { path, text } = refusedField(parsed.refusal);
    problems[path === 'days' ? 'expires' : path] ??= text;
  }
  const words = parsed.ok ? grantWords(parsed.value.scope, parsed.value.expires) : [];
  const shown = tags.map(tag => tag.map(value => (value === STAND_IN ? '<agent key>' : value)));
  return { words, tags: shown, problems };
}

function formProblems(
  draft: GrantDraft,
  agent: string | null,
  { owner, rooms, names, before = [] }: FormSurroundings,
  now: number,
): Record<string, string> {
  const problems: Record<string, string> = {};
  draft.rooms.forEach((room, index) => {
    if (!rooms.includes(room) && !before.includes(room))
      problems[`rooms.${index}`] = `There is no room "${room}"`;
  });
  if (names.some(name => name.toLowerCase() === draft.name.toLowerCase())) {
    problems.name = 'Another agent has this name';
  }
  if (agent === owner) problems.pubkey = 'This is your own key';
  // The relay would take it as a revocation.
  if (draft.expires <= now) problems.expires = 'This is over already';
  if (agent === null && draft.sites.some(site => site.label !== '*')) {
    problems.sites = 'Its key is not made yet: allow * now, or add single sites by editing the grant later';
  }
  return problems;
}
