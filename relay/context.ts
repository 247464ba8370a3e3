// What the parts of the relay hand each other: the nouns and doors that socket, http, queries and management
// share. Types only; relay.ts composes the real things.

import type { Registrations } from './callbacks/registration.ts';
import type { Signer } from './client/signer.ts';
import type { Limits } from './limits.ts';
import type { Policy } from './policy.ts';
import type { EventTemplate, Filter, NostrEvent } from './protocol/event.ts';
import type { AgentGrant, GrantState } from './protocol/grant.ts';
import type { RoomAccess, RoomRole } from './protocol/room.ts';

export type Role = 'owner' | 'moderator' | 'member' | 'agent' | '';

/** Who reads: every authenticated key of a socket, the one key of a NIP-98 proof, or none. */
export type Reader = { keys: readonly string[]; ip?: string };

/** How an event came in. `import` is a copy from another relay or a file, `relay` our own record. */
export type Origin = { via: 'socket' | 'http' | 'import' | 'relay'; keys: readonly string[]; ip?: string };

/** What became of an event: `message` is '' or `prefix: text`; a duplicate is accepted. */
export type Outcome = { accepted: boolean; message: string };

/** Why something was refused: `prefix: text` with a prefix of NIP-01, NIP-42 or spec/README.md. */
export type Refusal = string;

/** A stored event with its exact JSON. `seq` grows with every event the relay took in and is never reused. */
export type StoredEvent = { seq: number; event: NostrEvent; json: string };

/** A place in the newest-first order: events strictly after it come next. */
export type EventCursor = { created_at: number; id: string };

export type EventStore = {
  /** The event with that id, expired ones included, or null. */
  get(id: string): NostrEvent | null;
  /** The newest version at an address `kind:pubkey:d`, or null. */
  current(address: string): NostrEvent | null;
  /**
   * Events that match, newest first (ties: lowest id first), each once, lazily; expired ones are left out unless they
   * are asked for. The filter's `limit` is ignored: stop when you have enough. Safe to leave early.
   */
  scan(
    filter: Filter,
    after?: EventCursor,
    options?: { expired?: boolean },
  ): Generator<NostrEvent, void, void>;
  /** Removes an event and its index rows; true when it was there. Call inside `transact`. */
  remove(id: string): boolean;
  /** Removes every event that matches; answers their number. A filter without any condition throws. */
  removeAll(filter: Filter): number;
  /** Removes an event and keeps it from being stored again, whoever sends it. */
  bury(id: string): void;
  /** Keeps an id from ever being stored again, and says why. */
  banId(id: string, reason: string): void;
  allowId(id: string): void;
  listBannedIds(): { id: string; reason: string; at: number }[];
  stats(): { events: number; bytes: number };
};

/** The newest grant of an agent, whoever signed it (spec/agent-grants.md); `created_at` is its event's. */
export type GrantRecord = AgentGrant & { created_at: number };

export type GrantStore = {
  get(agent: string): GrantRecord | null;
  /** Every grant ever admitted, revoked and expired ones included, by name and then key. */
  list(): GrantRecord[];
  state(grant: GrantRecord): GrantState;
  /** Is at least one grant active now? */
  anyActive(): boolean;
  /** Sets the pause flag; answers whether it flipped. Does not look at the state: callers refuse first. */
  setPaused(agent: string, paused: boolean): boolean;
  /** Ends the grant, takes the role `agent` away and closes the agent's subscriptions. False when it was revoked. */
  revoke(agent: string): boolean;
};

export type ReceiptStore = {
  /** The grant that answered that request for more access, whatever became of it since; null without one. */
  get(request: string): NostrEvent | null;
};

export type MemberRecord = {
  pubkey: string;
  role: 'moderator' | 'member' | 'agent';
  name: string;
  note: string;
  invited_by: string;
  /** `management`, `request`, `invite <code>`, `join`, `put-user` or `grant`. */
  via: string;
  created_at: number;
};

export type MemberStore = {
  get(pubkey: string): MemberRecord | null;
  list(): MemberRecord[];
  put(member: MemberRecord): void;
  /** Removes the row and the key from every room; true when there was one. */
  remove(pubkey: string): boolean;
  ban(pubkey: string, reason: string): void;
  unban(pubkey: string): boolean;
  isBanned(pubkey: string): boolean;
  listBanned(): { pubkey: string; reason: string; at: number }[];
};

export type InviteRecord = {
  code: string;
  created_by: string;
  created_at: number;
  expires_at: number;
  /** 0 is unlimited. */
  max_uses: number;
  uses: number;
  revoked: boolean;
  note: string;
};

export type InviteStore = {
  get(code: string): InviteRecord | null;
  /** Newest first. */
  list(limit: number): InviteRecord[];
  /** All that key made, newest first. */
  listOf(creator: string): InviteRecord[];
  add(invite: InviteRecord): void;
  use(code: string): void;
  /** False when there is none, or it was taken back before. */
  revoke(code: string): boolean;
};

export type JoinRequest = {
  pubkey: string;
  reason: string;
  requested_at: number;
  status: 'pending' | 'approved' | 'denied';
  /** '' and 0 while it waits. */
  decided_by: string;
  decided_at: number;
};

export type JoinRequestStore = {
  get(pubkey: string): JoinRequest | null;
  /** Those that wait first, then newest first. */
  list(limit: number): JoinRequest[];
  /** How many wait. */
  pending(): number;
  put(request: JoinRequest): void;
  remove(pubkey: string): void;
};

export type ReportRecord = {
  /** The report event's own id. */
  id: string;
  reporter: string;
  /** '' for a report of a key. */
  target_event: string;
  target_pubkey: string;
  type: string;
  content: string;
  at: number;
  /** Does it count towards hiding the event? Those of members do. */
  counts: boolean;
  status: 'open' | 'resolved';
  /** '', 0 and '' while it is open. */
  resolved_by: string;
  resolved_at: number;
  action: string;
};

export type ReportStore = {
  get(id: string): ReportRecord | null;
  /** Newest first. */
  list(status: 'open' | 'resolved' | 'all', limit: number): ReportRecord[];
  /** Open reports of one event, newest first. */
  openOn(event: string): ReportRecord[];
  resolve(id: string, decision: { by: string; at: number; action: string }): void;
};

export type RetentionStore = {
  /** Null: events of the kind are kept for ever. */
  daysOf(kind: number): number | null;
  list(): { kind: number; days: number }[];
  set(kind: number, days: number | null): void;
};

export type RoomMember = { pubkey: string; role: RoomRole; added_at: number };

export type RoomRecord = {
  id: string;
  name: string;
  about: string;
  picture: string;
  access: RoomAccess;
  created_by: string;
  created_at: number;
  /** The 9007 that made it. */
  event_id: string;
};

export type RoomStore = {
  get(id: string): RoomRecord | null;
  /** Rooms that exist now, by creation. */
  list(): RoomRecord[];
  /** Owners first, then admins, then members by the time they were added. */
  members(room: string): RoomMember[];
  member(room: string, pubkey: string): RoomMember | null;
  memberCount(room: string): number;
};

export type AuditRow = {
  id: number;
  at: number;
  actor: string;
  action: string;
  target: string;
  detail: string;
};

export type AuditStore = {
  /** Adds a row; call inside `transact` beside the change it tells of. */
  add(row: { actor: string; action: string; target?: string; detail?: string }): void;
  /** Newest first. */
  list(limit: number): AuditRow[];
};

export type IpStore = {
  block(ip: string, reason: string): void;
  unblock(ip: string): boolean;
  isBlocked(ip: string): boolean;
  list(): { ip: string; reason: string; at: number }[];
};

export type Store = {
  events: EventStore;
  grants: GrantStore;
  receipts: ReceiptStore;
  members: MemberStore;
  invites: InviteStore;
  joinRequests: JoinRequestStore;
  rooms: RoomStore;
  reports: ReportStore;
  retention: RetentionStore;
  audit: AuditStore;
  ips: IpStore;
  /** Small named values of the relay that are no policy. */
  settings: { get(name: string): string | null; set(name: string, value: string): void };
  /** Where the database stands; `error` is the reason the last write failed and is '' again after a good one. */
  health(): { ok: boolean; error: string };
};

/** Which subscriptions an access change touches: those of the keys, or all of them. */
export type AccessChange = { keys?: readonly string[]; reason: string };

export type RelayContext = {
  store: Store;
  limits: Limits;
  /** The policy in force; a frozen object, new after each change. */
  policy(): Policy;
  /** Checks and stores a patch (one-level merge, spec/management.md 7). Call inside `transact`. */
  setPolicy(patch: unknown): { policy: Policy } | { refusal: Refusal };
  /**
   * Runs a change in one transaction: it throws, everything is undone, caches included. May be nested.
   * A full disk or a broken database throws StoreFailure.
   */
  transact<T>(change: () => T): T;
  /** Signs and stores records of the relay inside the running transaction; live readers get them after it. */
  publishOwn(templates: readonly Omit<EventTemplate, 'created_at'>[]): NostrEvent[];
  /** Admission: the one way in for events of others (spec/http-surface.md 13). `event` is unchecked input. */
  admission: { publish(event: unknown, origin: Origin): Promise<Outcome> };
  visibility: {
    canRead(reader: Reader, event: NostrEvent): boolean;
    /** The refusal of a whole query before it runs: relay read rule, private kinds, bad shape of access. */
    mayQuery(reader: Reader, filters: readonly Filter[]): Refusal | null;
    /** May this reader see that the room exists? */
    canReadRoom(reader: Reader, room: string): boolean;
    /** May this reader see who the members of the relay are? */
    maySeeDirectory(reader: Reader): boolean;
  };
  /** Visible events of one query: each filter with its own limit, together newest first, each once. */
  read(reader: Reader, filters: readonly Filter[]): Promise<{ events: NostrEvent[] } | { refusal: Refusal }>;
  /** Number of visible events, each once. */
  count(reader: Reader, filters: readonly Filter[]): Promise<number>;
  roles: {
    roleOf(pubkey: string): Role;
    isMember(pubkey: string): boolean;
    /** `owner` or `moderator`. */
    isOperator(pubkey: string): boolean;
    /** Does a grant bind this key: has it no role, or only that of an agent? */
    isBound(pubkey: string): boolean;
    roomRole(room: string, pubkey: string): RoomRole | '';
  };
  self: Signer;
  live: {
    /** Every event after its commit, ephemeral ones included; check visibility yourself. Answers the way out. */
    subscribe(listener: (event: NostrEvent) => void): () => void;
    /** Hears, after the commit, that what some keys may read has changed. Answers the way out. */
    onAccess(listener: (change: AccessChange) => void): () => void;
    /** Open WebSocket connections and their subscriptions. */
    size(): { connections: number; subscriptions: number };
  };
  callbacks: Registrations;
  /** Ends subscriptions with `blocked:` after the running transaction, so that clients ask again. */
  accessChanged(change: AccessChange): void;
  /** Unix seconds. */
  now(): number;
  urls: Urls;
  log: Logger;
};

/** The addresses this relay answers to. */
export type Urls = {
  /** `ws://127.0.0.1:7447/`, or the public address when one is set. */
  readonly ws: string;
  readonly http: string;
  /** Is this Host header one of ours (name and port)? Undefined is not. */
  isOurHost(host: string | undefined): boolean;
  /** Is this URL (any of http, https, ws, wss) on an address of ours? Path and query are not looked at. */
  isOurUrl(url: string): boolean;
  /** May a page of this origin speak to us? No header (undefined) is not a page. */
  allowsOrigin(origin: string | undefined): boolean;
};

export type Logger = {
  debug(fields: object, text: string): void;
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
};

export type RelayOptions = {
  /** Folder of the database; made 0700 when it is missing. */
  data: string;
  /** Default 127.0.0.1. */
  host?: string | undefined;
  /** 0 picks one. */
  port?: number | undefined;
  owner?: string | undefined;
  name?: string | undefined;
  /** Public address when a proxy stands in front. */
  url?: string | undefined;
  reads?: Policy['reads'] | undefined;
  writes?: Policy['writes'] | undefined;
  /** Origins of web pages that may speak to the relay besides those on this machine. */
  origins?: readonly string[] | undefined;
  /** The relay's own key when somebody else keeps it; then it is never written. */
  selfSecret?: Uint8Array | undefined;
  log?: Logger | undefined;
  /** Called when a large database turns out to be damaged after the start; the relay then closes. */
  onDamage?: ((problem: string) => void) | undefined;
  /** Unix seconds; the system's clock unless a test needs another. */
  now?: (() => number) | undefined;
};

export type Relay = {
  /** `ws://127.0.0.1:7447/` */
  url: string;
  /** The same address for HTTP, without a trailing slash. */
  http: string;
  /** The relay's own public key. */
  self: string;
  owner: string;
  context: RelayContext;
  close(): Promise<void>;
};
