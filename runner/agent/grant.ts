// What the relay says of the agent's own grant: asked when the connection opens, when a publish is refused because of
// it, and every half minute while it does not hold (spec/decisions.md 6).

import { z } from 'zod';
import { type RelayRpc, RpcFailure } from '../../relay/client/rpc.ts';
import type { GrantScope } from '../../relay/protocol/grant.ts';
import type { Report } from '../status.ts';

const POLL_MS = 30_000;

/** As much of a grant's scope as decides about kinds. */
const scope = z.looseObject({
  kinds: z.array(z.number()),
  rooms: z.array(z.string()),
  wiki: z.enum(['propose', 'edit']).optional(),
  jobs: z.enum(['request', 'serve', 'both']).optional(),
  rate: z.number(),
});

const answer = z.looseObject({
  state: z.enum(['active', 'paused', 'revoked', 'expired', 'none']),
  enforced: z.boolean(),
  grant: z.looseObject({ name: z.string(), scope: scope.optional() }).nullish(),
  missing: z.looseObject({ rooms: z.array(z.string()), kinds: z.array(z.number()) }).optional(),
});

export type GrantState = z.infer<typeof answer>['state'];

export class GrantWatch {
  readonly #rpc: Pick<RelayRpc, 'call'>;
  readonly #needs: { rooms: readonly string[]; kinds: readonly number[] };
  readonly #report: Report;
  readonly #changed: (state: GrantState) => void;
  #state: GrantState = 'active';
  #reported = '';
  #missing = '';
  #timer: NodeJS.Timeout | undefined;
  #asking: Promise<GrantState> | null = null;
  #closed = false;
  /** What the grant calls the agent; empty before it is known. */
  name = '';
  /** What the grant lets through; null before it is known, and for a key that no grant binds. */
  scope: GrantScope | null = null;

  constructor(
    rpc: Pick<RelayRpc, 'call'>,
    needs: { rooms: readonly string[]; kinds: readonly number[] },
    report: Report,
    changed: (state: GrantState) => void,
  ) {
    this.#rpc = rpc;
    this.#needs = needs;
    this.#report = report;
    this.#changed = changed;
  }

  get state(): GrantState {
    return this.#state;
  }

  /** Asks the relay. A relay that cannot say counts as no objection: the publish itself will be refused. */
  check(): Promise<GrantState> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  /** A supervisor knows first that the grant was paused. */
  told(state: GrantState, reason: string): void {
    this.#set(state, reason);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #ask(): Promise<GrantState> {
    try {
      const parsed = answer.safeParse(
        await this.#rpc.call('browsegrant', [this.#needs], { timeoutMs: 10_000 }),
      );
      if (parsed.success && !this.#closed) this.#read(parsed.data);
    } catch (error) {
      if (error instanceof RpcFailure && error.status === 403 && !this.#closed) {
        this.#set('none', error.error);
        return this.#state;
      }
      const text = `the relay does not say how the grant stands: ${error instanceof Error ? error.message : error}`;
      this.#report({ type: 'log', level: 'debug', source: 'runner', text });
      this.#schedule();
    }
    return this.#state;
  }

  #read(standing: z.infer<typeof answer>): void {
    this.name = standing.grant?.name ?? this.name;
    const held = standing.enforced ? standing.grant?.scope : undefined;
    this.scope = held === undefined ? null : scopeOf(held);
    const { rooms = [], kinds = [] } = standing.missing ?? {};
    const missing = [...rooms.map(room => `room ${room}`), ...kinds.map(kind => `kind ${kind}`)].join(', ');
    if (missing !== this.#missing && missing !== '') {
      const text = `the grant does not cover ${missing}`;
      this.#report({ type: 'log', level: 'warn', source: 'runner', text });
    }
    this.#missing = missing;
    this.#set(standing.enforced ? standing.state : 'active', '');
  }

  #set(state: GrantState, reason: string): void {
    this.#state = state;
    this.#schedule();
    if (state === this.#reported) return;
    this.#reported = state;
    this.#report({ type: 'grant', state, ...(reason === '' ? {} : { reason }) });
    this.#changed(state);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#state !== 'active' && !this.#closed) this.#timer = setTimeout(() => void this.check(), POLL_MS);
  }
}

function scopeOf({ kinds, rooms, wiki, jobs, rate }: z.infer<typeof scope>): GrantScope {
  return {
    ...{ kinds, rooms, repos: [], rate },
    ...(wiki === undefined ? {} : { wiki }),
    ...(jobs === undefined ? {} : { jobs }),
  };
}
