// Event callbacks: an https URL and a filter, and a POST for each event that matches (seed "Callbacks",
// spec/callbacks.md). Composition of the parts beside this file.

import { KIND } from '../protocol/kinds.ts';
import { Courier } from './courier.ts';
import { CallbackDesk, type CallbackParts } from './desk.ts';
import { Planner } from './planner.ts';
import { Registrations } from './registration.ts';

export class Callbacks {
  /** What the management endpoint and MCP offer. */
  readonly registrations: Registrations;
  readonly #planner: Planner;
  readonly #courier: Courier;

  constructor(parts: CallbackParts) {
    const desk = new CallbackDesk(parts);
    this.#planner = new Planner(desk);
    this.#courier = new Courier(desk, this.#planner);
    this.registrations = new Registrations(desk, callback => this.#planner.emptied(callback));
  }

  /** Plans for an event the relay takes in. Call inside its transaction, after all that the event changes. */
  plan: Planner['plan'] = news => {
    if (news.event.kind === KIND.vanish) this.registrations.forget(news.event.pubkey);
    this.#planner.plan(news);
  };

  /** Goes on with what an earlier run left. Call once the relay can answer. */
  start(): void {
    this.#planner.start();
    this.#courier.start();
  }

  /** Breaks off what is under way; it is sent again after the next start. Call before the database is closed. */
  async close(): Promise<void> {
    this.#planner.close();
    await this.#courier.close();
  }
}
