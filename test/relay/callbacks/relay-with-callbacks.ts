// A relay's store, roles and visibility with callbacks over them, on a real database in a folder of its own. Events
// come in as admission takes them: stored and planned in one transaction.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Callbacks } from '../../../relay/callbacks/callbacks.ts';
import type { CallbackParts } from '../../../relay/callbacks/desk.ts';
import type { Registration } from '../../../relay/callbacks/registration.ts';
import { callbacks as schema } from '../../../relay/callbacks/schema.ts';
import { callbackSealKey } from '../../../relay/callbacks/sealed-secret.ts';
import { generateSecret, type Signer, signerFrom } from '../../../relay/client/signer.ts';
import type { Role } from '../../../relay/context.ts';
import type { Policy } from '../../../relay/policy.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { parseGrant } from '../../../relay/protocol/grant.ts';
import { kindClass } from '../../../relay/protocol/kinds.ts';
import { Roles } from '../../../relay/roles.ts';
import { openDatabase } from '../../../relay/store/database.ts';
import { SqliteStore } from '../../../relay/store/store.ts';
import { verifiedNow } from '../../../relay/verify/verified-event.ts';
import { Visibility } from '../../../relay/visibility/visibility.ts';
import { CERTIFICATE } from './certificate.ts';

export const SEAL_KEY = callbackSealKey(new Uint8Array(32).fill(7));

export type TestRelay = {
  store: SqliteStore;
  callbacks: Callbacks;
  owner: Signer;
  now(): number;
  publish(event: NostrEvent): void;
  /** A member with that role. */
  member(role?: 'member' | 'moderator'): Signer;
  /** An agent under an active grant with these extra tags. */
  agent(...tags: string[][]): Signer;
  roleOf(pubkey: string): Role;
  close(): Promise<void>;
};

export type TestOptions = Partial<Omit<CallbackParts, 'policy'>> & {
  data?: string;
  owner?: Signer;
  policy?: () => object;
};

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'tiny-callbacks-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export function openRelay(options: TestOptions = {}): TestRelay {
  const { data = folder(), owner = signerFrom(generateSecret()), policy, ...given } = options;
  const now = () => Math.floor((given.now?.() ?? Date.now()) / 1000);
  const database = openDatabase(data);
  const { db } = database;
  if (db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'callbacks'").get() === undefined) db.exec(schema);
  const store = new SqliteStore(db, now);
  store.transact(() => store.settings.setPolicy({ ...store.settings.policy, owner: owner.pubkey }));
  const policyNow = (): Policy => store.settings.policy;
  const roles = new Roles(store, policyNow, now);
  const visibility = new Visibility({ store, roles, policy: policyNow, now });
  const callbacks = new Callbacks({
    ...{ db, store, roles, visibility, self: 'f'.repeat(64), url: 'wss://relay.example/', sealKey: SEAL_KEY },
    ...{ ca: CERTIFICATE, log: { debug() {}, info() {}, warn() {}, error() {} }, retryDelays: [20, 40] },
    ...given,
    policy: () => ({ callbacks: 4, callbackTargets: 'loopback', ...policy?.() }),
  });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= callbacks.close().then(() => database.close());
    return closing;
  };
  onTestFinished(close);
  const publish = (event: NostrEvent) => {
    const verified = verifiedNow(event);
    if (verified === null) throw new Error('a test event is not signed');
    store.transact(() => {
      if (kindClass(event.kind) !== 'ephemeral') store.events.save(verified);
      callbacks.plan(verified);
    });
  };
  const row = { name: '', note: '', invited_by: owner.pubkey, via: 'management', created_at: 1 };
  const member = (role: 'member' | 'moderator' = 'member') => {
    const signer = signerFrom(generateSecret());
    store.transact(() => store.members.put({ pubkey: signer.pubkey, role, ...row }));
    return signer;
  };
  const agent = (...tags: string[][]) => {
    const signer = signerFrom(generateSecret());
    const { pubkey } = signer;
    const base = [
      ['d', pubkey],
      ['p', pubkey],
      ['expiration', `${now() + 86_400}`],
    ];
    const grant = owner.sign({ kind: 30392, created_at: now(), tags: [...base, ...tags], content: '' });
    const parsed = parseGrant(grant, now());
    if (!parsed.ok) throw new Error(parsed.refusal);
    const { name, expires, scope } = parsed.value;
    store.transact(() => {
      store.events.save(verifiedNow(grant)!);
      const of = { owner: owner.pubkey, event_id: grant.id, created_at: grant.created_at };
      store.grants.put({ pubkey, ...of, name, expires, scope, paused: false, revoked: 0 });
      store.members.put({ pubkey, role: 'agent', ...row });
    });
    return signer;
  };
  return { store, callbacks, owner, now, publish, member, agent, roleOf: key => roles.roleOf(key), close };
}

let drafts = 0;

export function signed(author: Signer, kind = 1, tags: string[][] = [], content = ''): NostrEvent {
  drafts += 1;
  const created_at = Math.floor(Date.now() / 1000);
  return author.sign({ kind, created_at, tags, content: content || `event ${drafts}` });
}

/** Registers for that key and answers id and secret; throws the refusal. */
export function register(relay: TestRelay, signer: Signer, input: Registration) {
  const caller = { pubkey: signer.pubkey, role: relay.roleOf(signer.pubkey) };
  const done = relay.callbacks.registrations.add(caller, input);
  if (!done.ok) throw new Error(done.refusal);
  return done.value;
}

/** The one callback with that id, as its owner or an operator sees it. */
export function shown(relay: TestRelay, signer: Signer, id: string) {
  const caller = { pubkey: signer.pubkey, role: relay.roleOf(signer.pubkey) };
  const found = relay.callbacks.registrations.list(caller).find(callback => callback.id === id);
  if (found === undefined) throw new Error('no such callback');
  return found;
}

/** Waits until a condition holds, looked at after every turn of the event loop. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(resolve => setImmediate(resolve));
}
