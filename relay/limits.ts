// The limits of the relay, announced in NIP-11 and enforced at the edge (spec/http-surface.md 5 and 12).

export const LIMITS = {
  /** Bytes of one incoming frame or body. */
  messageBytes: 512 * 1024,
  subscriptions: 100,
  /** Values of all filters of one connection that live events are looked up by. */
  connectionValues: 50_000,
  /** Events one filter may ask for; more is cut to this. */
  filterLimit: 500,
  defaultLimit: 500,
  subscriptionId: 64,
  filters: 20,
  /** Values in one list of a filter. */
  filterValues: 1000,
  searchCharacters: 512,
  tags: 5000,
  /** Unicode characters of the content. */
  contentCharacters: 256 * 1024,
  /** Characters of JSON one answer over HTTP may hold; over a socket events leave one by one. */
  answerCharacters: 32 * 1024 * 1024,
  /** Bytes a client may leave unread before it is cut off. */
  bufferedBytes: 4 * 1024 * 1024,
  /** Negentropy sessions of one connection, ids one of them may hold, and ids that all clients' hold together. */
  negentropySessions: 8,
  negentropyRecords: 250_000,
  negentropyAllRecords: 1_000_000,
  /** Silence after which a session is dropped. */
  negentropyIdleMs: 60_000,
  /** Messages of one connection: so many at once, so many a second in the long run. */
  rates: {
    events: { burst: 10_000, perSecond: 3_000 },
    queries: { burst: 20_000, perSecond: 5_000 },
    proofs: { burst: 40, perSecond: 1 },
    /** Frames that are no message; the connection is closed after them. */
    faults: { burst: 100, perSecond: 1 },
  },
  /** Events of one connection that may wait for their answer before it is no longer read. */
  inFlight: 512,
} as const;

export type Limits = typeof LIMITS;
