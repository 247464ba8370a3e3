// What the person does in a room, as events (NIP-29, spec/membership-and-rooms.md section 3).

import { KIND } from '../../relay/protocol/kinds.ts';
import type { Draft } from '../relay-link.ts';

export type RoomFields = { name: string; about: string; access: 'open' | 'members' };
export type NewMessage = { content: string; mentions: string[]; root?: string; parent?: string };

/** A chat message; with `root` a reply in that thread, `parent` being what it answers there. */
export function messageDraft(room: string, message: NewMessage): Draft {
  const { content, mentions, root, parent } = message;
  const tags = [['h', room]];
  if (root !== undefined) tags.push(['e', root, '', 'root']);
  if (parent !== undefined && parent !== root) tags.push(['e', parent, '', 'reply']);
  for (const pubkey of new Set(mentions)) tags.push(['p', pubkey]);
  return { kind: KIND.chat, tags, content };
}

export function editDraft(room: string, event: string, content: string): Draft {
  return about(KIND.edit, room, ['e', event], content);
}

export function reactionDraft(
  room: string,
  target: { event: string; author: string },
  content: string,
): Draft {
  return {
    kind: KIND.reaction,
    tags: [
      ['h', room],
      ['e', target.event],
      ['p', target.author],
    ],
    content,
  };
}

/** A deletion of one's own event, or the room's removal of another's. */
export function removalDraft(room: string, event: string, own: boolean): Draft {
  return about(own ? KIND.deletion : KIND.deleteEvent, room, ['e', event]);
}

export function createDraft(room: string, fields: RoomFields): Draft {
  return { kind: KIND.createRoom, tags: fieldTags(room, fields), content: '' };
}

export function changeDraft(room: string, fields: RoomFields): Draft {
  return { kind: KIND.editMetadata, tags: fieldTags(room, fields), content: '' };
}

export function putUserDraft(
  room: string,
  pubkey: string,
  role: 'member' | 'admin' | 'owner' = 'member',
): Draft {
  return about(KIND.putUser, room, role === 'member' ? ['p', pubkey] : ['p', pubkey, role]);
}

export function removeUserDraft(room: string, pubkey: string): Draft {
  return about(KIND.removeUser, room, ['p', pubkey]);
}

/** Leaving, deleting, typing: events that name the room alone. */
export function roomDraft(kind: number, room: string, content = ''): Draft {
  return { kind, tags: [['h', room]], content };
}

function about(kind: number, room: string, tag: string[], content = ''): Draft {
  return { kind, tags: [['h', room], tag], content };
}

function fieldTags(room: string, { name, about, access }: RoomFields): string[][] {
  return [
    ['h', room],
    ['name', name],
    ['about', about],
    ['access', access],
  ];
}
