// What a grant changes (spec/agent-grants.md section 1): the one effective grant of its agent, the agent's role, and
// the audit row, in the transaction of the event.

import type { NostrEvent } from '../../protocol/event.ts';
import { parseGrant } from '../../protocol/grant.ts';
import { grantProvenance } from '../../protocol/grant-request.ts';
import { tagValue } from '../../protocol/tags.ts';
import type { Desk, Effect } from '../rule.ts';

export const grant: Effect = {
  /** Another signer may have granted the same agent later: the newest counts, whoever signed it. */
  nothingToDo({ event }, { store }) {
    const held = store.grants.get(tagValue(event, 'd') ?? '');
    if (held === null || held.event_id === event.id) return null;
    const isNewer =
      event.created_at > held.created_at ||
      (event.created_at === held.created_at && event.id < held.event_id);
    return isNewer ? null : 'duplicate: have a newer version';
  },
  apply({ event }, desk) {
    applyGrant(event, desk);
    return undefined;
  },
};

function applyGrant(event: NostrEvent, { store, now }: Desk): void {
  const parsed = parseGrant(event, now());
  if (!parsed.ok) return;
  const { agent, name, expires, scope } = parsed.value;
  const { id: event_id, pubkey: owner, created_at } = event;
  const answers = grantProvenance(event);
  if (answers !== null) store.receipts.add(answers.request, event);
  store.grants.put({
    pubkey: agent,
    owner,
    event_id,
    created_at,
    name,
    expires,
    paused: false,
    revoked: 0,
    scope,
  });
  if (expires <= now()) {
    store.grants.revoke(agent);
    store.audit.add({ actor: owner, action: 'revokeagent', target: agent, detail: 'expired grant' });
    return;
  }
  const isOwner = store.settings.policy.owner === agent;
  if (!isOwner && store.members.get(agent) === null) {
    const row = {
      pubkey: agent,
      role: 'agent',
      name: '',
      note: '',
      invited_by: owner,
      via: 'grant',
    } as const;
    store.members.put({ ...row, created_at: now() });
  }
  store.audit.add({ actor: owner, action: 'grantagent', target: agent, detail: name });
}
