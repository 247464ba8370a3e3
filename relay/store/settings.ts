// Named values of the relay: its policy and whatever else is one text.

import type { Database, Statement } from 'better-sqlite3';
import { defaultPolicy, type Policy, parsePolicy } from '../policy.ts';

const POLICY = 'policy';

export class SqliteSettings {
  readonly #get: Statement<[string], { value: string }>;
  readonly #set: Statement<[string, string]>;
  #policy: Policy;
  #policyChanged = false;

  constructor(db: Database) {
    this.#get = db.prepare('SELECT value FROM settings WHERE name = ?');
    this.#set = db.prepare('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)');
    this.#policy = this.#readPolicy();
  }

  get(name: string): string | null {
    return this.#get.get(name)?.value ?? null;
  }

  set(name: string, value: string): void {
    this.#set.run(name, value);
  }

  get policy(): Policy {
    return this.#policy;
  }

  /** Keeps the policy for good; fields of a newer version that we do not know stay as they were stored. */
  setPolicy(policy: Policy): void {
    const stored = this.get(POLICY);
    this.set(POLICY, JSON.stringify({ ...(stored === null ? {} : JSON.parse(stored)), ...policy }));
    this.#policy = Object.freeze({ ...policy });
    this.#policyChanged = true;
  }

  /** Has the policy been set since the last call? */
  takePolicyChanged(): boolean {
    const changed = this.#policyChanged;
    this.#policyChanged = false;
    return changed;
  }

  reload(): void {
    this.#policyChanged = false;
    this.#policy = this.#readPolicy();
  }

  #readPolicy(): Policy {
    const stored = this.get(POLICY);
    return Object.freeze(stored === null ? defaultPolicy() : parsePolicy(JSON.parse(stored)));
  }
}
