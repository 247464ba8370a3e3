// The shape of an event (NIP-01). Parsing and checking live in parse-event.ts.

/** A signed event as it travels: hex in lower case, `created_at` in Unix seconds. */
export type NostrEvent = {
  id: string;
  pubkey: string;
  created_at: number;
  kind: number;
  tags: string[][];
  content: string;
  sig: string;
};

/** What a signer is given: everything but author, id and signature. */
export type EventTemplate = Pick<NostrEvent, 'kind' | 'created_at' | 'tags' | 'content'>;

/** A NIP-01 filter. Tag conditions are `#` and one letter. */
export type Filter = {
  ids?: string[];
  authors?: string[];
  kinds?: number[];
  since?: number;
  until?: number;
  limit?: number;
  search?: string;
  [tag: `#${string}`]: string[] | undefined;
};
