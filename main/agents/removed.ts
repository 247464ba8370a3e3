// Agents the person took away, or whose making failed: the relay keeps their grants for audit, the list leaves them
// out until somebody grants that key again.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { hex64 } from '../contract/contract.ts';
import { writeWhole } from '../home.ts';

const shape = z.array(hex64);

export class RemovedAgents {
  readonly #file: string;
  readonly #pubkeys: Set<string>;

  constructor(agents: string) {
    this.#file = join(agents, 'removed.json');
    this.#pubkeys = new Set(read(this.#file));
  }

  add(pubkey: string): void {
    this.#pubkeys.add(pubkey);
    this.#save();
  }

  /** Whether to leave it out; a grant that holds again brings it back. */
  hides(grant: { pubkey: string; revoked: number }): boolean {
    if (!this.#pubkeys.has(grant.pubkey)) return false;
    return grant.revoked !== 0;
  }

  has(pubkey: string): boolean {
    return this.#pubkeys.has(pubkey);
  }

  #save(): void {
    writeWhole(this.#file, JSON.stringify([...this.#pubkeys]));
  }
}

function read(file: string): string[] {
  try {
    return shape.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // None yet, or torn: then a revoked agent is listed as revoked, which is true.
    return [];
  }
}
