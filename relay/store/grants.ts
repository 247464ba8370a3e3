// The effective grant of each agent (spec/agent-grants.md). Rows are never removed: a key that once held a grant is
// refused with its reason until it has a role or a new grant.

import type { Database, Statement } from 'better-sqlite3';
import type { GrantRecord, GrantStore } from '../context.ts';
import { type GrantState, grantState } from '../protocol/grant.ts';

type Row = {
  agent: string;
  owner: string;
  event_id: string;
  created_at: number;
  name: string;
  expires: number;
  paused: number;
  revoked: number;
  scope: string;
};

export class SqliteGrants implements GrantStore {
  readonly #now: () => number;
  readonly #all: Statement<[], Row>;
  readonly #put: Statement<[Row]>;
  readonly #onRevoked: (agent: string) => void;
  #grants = new Map<string, GrantRecord>();

  /** `onRevoked` is called inside the transaction: the role goes with the grant. */
  constructor(db: Database, now: () => number, onRevoked: (agent: string) => void) {
    this.#now = now;
    this.#onRevoked = onRevoked;
    this.#all = db.prepare('SELECT * FROM grants');
    this.#put = db.prepare(
      `INSERT OR REPLACE INTO grants (agent, owner, event_id, created_at, name, expires, paused, revoked, scope)
       VALUES (@agent, @owner, @event_id, @created_at, @name, @expires, @paused, @revoked, @scope)`,
    );
    this.reload();
  }

  get(agent: string): GrantRecord | null {
    return this.#grants.get(agent) ?? null;
  }

  list(): GrantRecord[] {
    const byNameThenKey = (a: GrantRecord, b: GrantRecord) =>
      compare(a.name, b.name) || compare(a.pubkey, b.pubkey);
    return [...this.#grants.values()].sort(byNameThenKey);
  }

  state(grant: GrantRecord): GrantState {
    return grantState(grant, this.#now());
  }

  anyActive(): boolean {
    return [...this.#grants.values()].some(grant => this.state(grant) === 'active');
  }

  put(grant: GrantRecord): void {
    const { pubkey, paused, scope, ...rest } = grant;
    this.#put.run({ ...rest, agent: pubkey, paused: paused ? 1 : 0, scope: JSON.stringify(scope) });
    this.#grants.set(pubkey, Object.freeze({ ...grant }));
  }

  setPaused(agent: string, paused: boolean): boolean {
    const grant = this.#grants.get(agent);
    if (grant === undefined || grant.paused === paused) return false;
    this.put({ ...grant, paused });
    return true;
  }

  revoke(agent: string): boolean {
    const grant = this.#grants.get(agent);
    if (grant === undefined || grant.revoked !== 0) return false;
    this.put({ ...grant, revoked: this.#now() });
    this.#onRevoked(agent);
    return true;
  }

  reload(): void {
    this.#grants = new Map(this.#all.all().map(row => [row.agent, record(row)]));
  }
}

function record({ agent, paused, scope, ...rest }: Row): GrantRecord {
  return Object.freeze({ ...rest, pubkey: agent, paused: paused !== 0, scope: JSON.parse(scope) });
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
