// Two agents that mention each other answer each other for ever: every reply names the one it answers. After a number of
// exchanges in a room without a person, what agents ask there waits until a person says something in the room.

import { z } from 'zod';
import type { RelayRpc } from '../../relay/client/rpc.ts';
import type { Filter, NostrEvent } from '../../relay/protocol/event.ts';
import { KIND, MESSAGE_KINDS } from '../../relay/protocol/kinds.ts';
import type { Report } from '../status.ts';
import type { Journal, Work } from './journal.ts';

const members = z.looseObject({
  members: z.array(z.looseObject({ pubkey: z.string(), agent: z.boolean().optional() })),
});

export type LoopGuardParts = {
  journal: Journal;
  rpc: Pick<RelayRpc, 'call'>;
  query(filters: Filter[], options: { timeoutMs: number }): Promise<NostrEvent[]>;
  /** Exchanges in a row that need no person. */
  limit: number;
  report: Report;
  /** A room that was held may go on. */
  released(room: string): void;
  /** ms between looks for a person's message in a held room. */
  recheckMs: number;
};

/** How long it is believed who in a room is an agent. */
const KNOWN_MS = 60_000;

export class LoopGuard {
  readonly #parts: LoopGuardParts;
  readonly #known = new Map<string, { agents: Set<string>; everybody: Set<string>; until: number }>();
  /** Requests of agents that wait, by room. */
  readonly #held = new Map<string, Set<string>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: LoopGuardParts) {
    this.#parts = parts;
  }

  /** Does this request wait for a person? */
  isHeld(work: Work): boolean {
    return this.#held.get(work.room)?.has(work.event) ?? false;
  }

  /** May a run for this work begin? Counts it when it may; holds it when it may not. */
  async admit(work: Work): Promise<boolean> {
    const { room } = work;
    const agents = await this.#agentsIn(room, work.author);
    if (!agents.has(work.author)) {
      this.#reset(room);
      return true;
    }
    const exchange = this.#parts.journal.state.exchanges[room] ?? { count: 0, at: 0 };
    if (exchange.count >= this.#parts.limit && !(await this.#personSpoke(room, exchange.at))) {
      this.#hold(work);
      return false;
    }
    const count = exchange.count >= this.#parts.limit ? 1 : exchange.count + 1;
    this.#parts.journal.change(state => {
      state.exchanges[room] = { count, at: Math.floor(Date.now() / 1000) };
    });
    return true;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #hold(work: Work): void {
    const held = this.#held.get(work.room) ?? new Set();
    held.add(work.event);
    this.#held.set(work.room, held);
    const { limit, recheckMs } = this.#parts;
    const reason = `agents have answered each other ${limit} times without a person; say something in the room to let them go on`;
    this.#parts.report({ type: 'loop', room: work.room, held: true, exchanges: limit, reason });
    this.#timer ??= setInterval(() => void this.#recheck(), recheckMs);
  }

  async #recheck(): Promise<void> {
    for (const room of this.#held.keys()) {
      const since = this.#parts.journal.state.exchanges[room]?.at ?? 0;
      await this.#agentsIn(room);
      if (await this.#personSpoke(room, since)) this.#reset(room);
    }
  }

  /** A person is there: what was counted no longer counts. */
  #reset(room: string): void {
    const { journal, report, released } = this.#parts;
    if (journal.state.exchanges[room] !== undefined) {
      journal.change(state => {
        delete state.exchanges[room];
      });
    }
    if (!this.#held.delete(room)) return;
    if (this.#held.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    report({ type: 'loop', room, held: false, exchanges: 0 });
    released(room);
  }

  async #personSpoke(room: string, since: number): Promise<boolean> {
    const agents = this.#known.get(room)?.agents ?? new Set();
    const filter = { kinds: [...MESSAGE_KINDS, KIND.jobRequest], '#h': [room], since: since + 1, limit: 200 };
    const messages = await this.#parts.query([filter], { timeoutMs: 5_000 }).catch(() => []);
    return messages.some(message => !agents.has(message.pubkey));
  }

  /** The agents of a room, itself included. A relay that does not tell leaves what was known. */
  async #agentsIn(room: string, author?: string): Promise<Set<string>> {
    const known = this.#known.get(room);
    // Somebody new may be an agent that has just come in by writing.
    const covers = author === undefined || known?.everybody.has(author) === true;
    if (known !== undefined && covers && performance.now() < known.until) return known.agents;
    try {
      const answer = await this.#parts.rpc.call('browseroom', [{ id: room, limit: 1 }], { timeoutMs: 5_000 });
      const listed = members.parse(answer).members;
      const agents = new Set(listed.filter(({ agent }) => agent === true).map(({ pubkey }) => pubkey));
      agents.add(this.#parts.journal.state.pubkey);
      const everybody = new Set(listed.map(({ pubkey }) => pubkey));
      this.#known.set(room, { agents, everybody, until: performance.now() + KNOWN_MS });
      return agents;
    } catch (error) {
      const text = `the relay does not say who in ${room} is an agent: ${error instanceof Error ? error.message : error}`;
      this.#parts.report({ type: 'log', level: 'debug', source: 'runner', text });
      return known?.agents ?? new Set();
    }
  }
}
