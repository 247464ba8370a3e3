// The grants in force against the events they were taken from (spec/agent-grants.md section 1).

import type { Database } from 'better-sqlite3';
import type { GrantRecord } from '../context.ts';
import type { NostrEvent } from '../protocol/event.ts';
import { parseGrant } from '../protocol/grant.ts';
import { KIND } from '../protocol/kinds.ts';
import { SqliteEvents } from '../store/events.ts';
import { SqliteGrants } from '../store/grants.ts';

/** Tells each grant that does not say what its event says. */
export function checkGrants(db: Database, tell: (problem: string) => void): void {
  const events = new SqliteEvents(db, () => 0);
  const grants = new SqliteGrants(
    db,
    () => 0,
    () => {},
  );
  for (const grant of grants.list()) {
    const event = events.get(grant.event_id);
    // A grant that was ended may have been ended by taking its event back.
    if (event === null && grant.revoked !== 0) continue;
    const problem = event === null ? 'its event is not stored' : difference(grant, event);
    if (problem !== null) tell(`grant of ${grant.pubkey}: ${problem}`);
  }
}

function difference(grant: GrantRecord, event: NostrEvent): string | null {
  if (event.kind !== KIND.agentGrant) return `event ${event.id} is no grant`;
  if (event.pubkey !== grant.owner) return 'its event was signed by another key';
  if (event.created_at !== grant.created_at) return 'its event has another time';
  // How far ahead it may expire was judged when it came in.
  const parsed = parseGrant(event, grant.expires);
  if (!parsed.ok) return `its event is not usable: ${parsed.refusal}`;
  const { agent, name, expires, scope } = parsed.value;
  if (agent !== grant.pubkey) return 'its event names another agent';
  if (name !== grant.name || expires !== grant.expires) return 'its event has another name or expiry';
  return JSON.stringify(sorted(scope)) === JSON.stringify(sorted(grant.scope))
    ? null
    : 'its event allows something else';
}

function sorted(scope: object): [string, unknown][] {
  return Object.entries(scope).sort(([a], [b]) => (a < b ? -1 : 1));
}
