// Who is here, as the relay signs it (NIP-43): the roster, the roles there are, and a record of each coming and going.

import type { EventTemplate } from '../protocol/event.ts';
import { KIND } from '../protocol/kinds.ts';
import type { SqliteStore } from '../store/store.ts';

type Template = Omit<EventTemplate, 'created_at'>;

/** Signed by the relay alone, taken from nobody else (NIP-70). */
const PROTECTED = ['-'];

const ROLES = [
  { id: 'owner', label: 'Owner', description: 'Runs this relay', color: '270' },
  { id: 'moderator', label: 'Moderator', description: 'Lets people in and keeps order', color: '210' },
  { id: 'member', label: 'Member', description: 'Reads and writes here', color: '140' },
  { id: 'agent', label: 'Agent', description: 'A program that acts under a grant', color: '35' },
] as const;

/** Kind 13534: every member with its role, owner first. */
export function rosterTemplate({ members, settings }: Pick<SqliteStore, 'members' | 'settings'>): Template {
  const { owner } = settings.policy;
  const rows = members.list().filter(({ pubkey }) => pubkey !== owner);
  const tags = rows.map(({ pubkey, role }) => ['member', pubkey, role]);
  const first = owner === '' ? [] : [['member', owner, 'owner']];
  return { kind: KIND.roster, tags: [PROTECTED, ...first, ...tags], content: '' };
}

/** Kind 33534, one for each role. */
export function roleTemplates(): Template[] {
  return ROLES.map(({ id, label, description, color }, index) => ({
    kind: KIND.roleDefinition,
    tags: [
      PROTECTED,
      ['d', id],
      ['label', label],
      ['description', description],
      ['color', color],
      ['order', String(index)],
    ],
    content: '',
  }));
}

/** Kinds 8000 and 8001. */
export function comingTemplate(pubkey: string, isHere: boolean): Template {
  const kind = isHere ? KIND.memberAdded : KIND.memberRemoved;
  return { kind, tags: [PROTECTED, ['p', pubkey]], content: '' };
}
