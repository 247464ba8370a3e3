// What an agent may use up: runs an hour and a day, minutes of run time and reported cost a day. Counted in the journal,
// so a restart forgets nothing (cases B1 B4). Near a limit it warns, past one the next run is held.

import type { BudgetLimits } from '../../relay/protocol/runner-status.ts';
import type { Report } from '../status.ts';
import type { Journal } from './journal.ts';

/** No run begins before `until` (ms since 1970). */
export type Held = { reason: string; until: number };

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** From this share of a limit on it is said. */
const NEAR = 0.8;

/** One limit as it stands. `until`: when enough of it has passed out of its window. */
type Standing = { used: number; limit: number; words: string; until: number };

export class Budget {
  readonly #journal: Journal;
  readonly #report: Report;
  #limits: BudgetLimits;
  #said = '';

  constructor(journal: Journal, limits: BudgetLimits, report: Report) {
    this.#journal = journal;
    this.#limits = limits;
    this.#report = report;
    // Runs an earlier start did not end: they lasted until now at most, and nobody knows better.
    const now = Date.now();
    for (const entry of journal.state.spent) entry.ms ??= now - entry.at;
  }

  /** Other limits from now on. `forgive`: what was used until now no longer counts. */
  change(limits: BudgetLimits, forgive = false): void {
    this.#limits = limits;
    if (forgive) {
      this.#journal.change(state => {
        state.spent = [];
      });
    }
    this.held();
  }

  /** Why the next run must wait, or null; says so when that has changed. */
  held(): Held | null {
    const standings = this.#standings(Date.now());
    const spent = standings.filter(({ used, limit }) => used >= limit);
    if (spent.length > 0) {
      const until = Math.max(...spent.map(standing => standing.until));
      const reason = `its budget is used up: ${spent.map(words).join(', ')}`;
      this.#say('spent', { reason, until });
      return { reason, until };
    }
    const near = standings.filter(({ used, limit }) => used >= limit * NEAR);
    if (near.length > 0) this.#say('near', { reason: `close to its budget: ${near.map(words).join(', ')}` });
    else this.#say('within', {});
    return null;
  }

  /** A run begins: from now on it counts. */
  begun(run: string): void {
    const now = Date.now();
    this.#journal.change(state => {
      state.spent = state.spent.filter(({ at }) => at > now - DAY);
      state.spent.push({ run, at: now, cost: 0 });
    });
    this.held();
  }

  ended(run: string): void {
    const entry = this.#journal.state.spent.findLast(each => each.run === run);
    if (entry === undefined || entry.ms !== undefined) return;
    this.#journal.change(() => {
      entry.ms = Date.now() - entry.at;
    });
    this.held();
  }

  /** What the program says a run cost more than it had said before. */
  cost(run: string, amount: number): void {
    if (!(amount > 0)) return;
    this.#journal.change(({ spent }) => {
      const entry = spent.findLast(each => each.run === run);
      if (entry !== undefined) entry.cost += amount;
    });
    this.held();
  }

  #standings(now: number): Standing[] {
    const { runsPerHour, runsPerDay, minutesPerDay, costPerDay } = this.#limits;
    const day = this.#journal.state.spent.filter(({ at }) => at > now - DAY);
    const hour = day.filter(({ at }) => at > now - HOUR);
    const minutes = day.map(({ at, ms }) => ({ at, amount: (ms ?? now - at) / 60_000 }));
    const costs = day.map(({ at, cost }) => ({ at, amount: cost }));
    const one = ({ at }: { at: number }) => ({ at, amount: 1 });
    return [
      ...standing(runsPerHour, hour.map(one), { window: HOUR, words: 'runs in an hour' }),
      ...standing(runsPerDay, day.map(one), { window: DAY, words: 'runs in a day' }),
      ...standing(minutesPerDay, minutes, { window: DAY, words: 'minutes of work in a day' }),
      ...standing(costPerDay, costs, { window: DAY, words: 'of reported cost in a day' }),
    ];
  }

  #say(state: 'within' | 'near' | 'spent', more: { reason?: string; until?: number }): void {
    const line = JSON.stringify([state, more.until === undefined ? more.reason : state]);
    // Nothing is said of a budget nobody set.
    if (line === this.#said || (this.#said === '' && state === 'within')) return;
    this.#said = line;
    this.#report({ type: 'budget', state, ...more });
  }
}

function standing(
  limit: number | undefined,
  entries: { at: number; amount: number }[],
  { window, words: unit }: { window: number; words: string },
): Standing[] {
  if (limit === undefined) return [];
  let used = 0;
  for (const { amount } of entries) used += amount;
  let left = used;
  let until = 0;
  // Oldest first, as they leave the window.
  for (const { at, amount } of entries) {
    if (left < limit) break;
    left -= amount;
    until = at + window;
  }
  return [{ used, limit, words: unit, until }];
}

function words({ used, limit, words: unit }: Standing): string {
  const shown = Number.isInteger(used) ? used : Math.round(used * 100) / 100;
  return `${shown} of ${limit} ${unit}`;
}
