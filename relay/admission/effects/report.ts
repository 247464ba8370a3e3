// A report (NIP-56) waits for the owner or a moderator. Those of members count towards hiding an event
// (policy reportThreshold); anybody could make keys enough to hide anything.

import type { NostrEvent } from '../../protocol/event.ts';
import { isHex64, tagsNamed, tagValue } from '../../protocol/tags.ts';
import type { Effect } from '../rule.ts';

const CONTENT_CHARACTERS = 1000;
const TYPE_CHARACTERS = 64;

export const report: Effect = {
  apply({ event }, { store, roles, now }) {
    const role = roles.roleOf(event.pubkey);
    const target = tagValue(event, 'e');
    store.reports.add({
      id: event.id,
      reporter: event.pubkey,
      target_event: isHex64(target) ? target : '',
      target_pubkey: tagValue(event, 'p') ?? '',
      type: typeOf(event).slice(0, TYPE_CHARACTERS),
      content: [...event.content.trim()].slice(0, CONTENT_CHARACTERS).join(''),
      at: now(),
      counts: role !== '' && role !== 'agent',
      status: 'open',
      resolved_by: '',
      resolved_at: 0,
      action: '',
    });
    return undefined;
  },
};

/** The third value of the tag that names what is reported. */
function typeOf(event: NostrEvent): string {
  const named = [...tagsNamed(event, 'e'), ...tagsNamed(event, 'p')].map(tag => tag[2] ?? '');
  return named.find(type => /^[a-z]+$/.test(type)) ?? 'other';
}
