// What the runner signs for its agent program over the bridge: the tools of `tinyagent mcp` that are not the runner's own
// business, the kinds of the grant, and no more than half of its rate (case F7). The relay judges it all again.

import type { EventTemplate } from '../../relay/protocol/event.ts';
import type { GrantScope } from '../../relay/protocol/grant.ts';
import { allowsKind } from '../../relay/protocol/grant-scope.ts';
import { KIND } from '../../relay/protocol/kinds.ts';
import { tagValue, tagValues } from '../../relay/protocol/tags.ts';
import { offeredTools } from '../connector/mcp-tools.ts';

/** The runner answers the jobs it runs; a second answer of the program would contradict it. */
const RUNNERS_OWN = ['accept_job', 'job_progress', 'job_result', 'job_error'];
/** Whoever asks a person must be able to read the answer. */
const ANSWERS = ['list_approvals', 'read_approval'];
const WINDOW_MS = 60_000;

export type Standing = {
  pubkey: string;
  /** Null while the grant is not known or does not bind this key. */
  scope(): GrantScope | null;
  /** Why the agent may not act now, or null. */
  held(): string | null;
  /** Is that the job of a run under way here? */
  isOwnRun(job: string): boolean;
};

/** The tools a program under a runner is offered. */
export function bridgedTools(): Set<string> {
  const offered = offeredTools({ writes: true });
  for (const name of RUNNERS_OWN) offered.delete(name);
  for (const name of ANSWERS) offered.add(name);
  return offered;
}

export class Boundary {
  readonly #standing: Standing;
  /** Times of what was signed within the window, oldest first. */
  #signed: number[] = [];

  constructor(standing: Standing) {
    this.#standing = standing;
  }

  /** Why this event is not signed; null takes a place of the rate. */
  refuse(tool: string, event: EventTemplate): string | null {
    const scope = this.#standing.scope();
    const refusal = this.#standing.held() ?? this.#ownBusiness(event) ?? outside(scope, tool, event.kind);
    return refusal ?? this.#take(scope);
  }

  #ownBusiness(event: EventTemplate): string | null {
    const { pubkey, isOwnRun } = this.#standing;
    if (event.kind === KIND.jobRequest && tagValues(event, 'p').includes(pubkey)) {
      return 'an agent does not ask itself for a long task';
    }
    const named = event.kind === KIND.jobCancel ? (tagValue(event, 'e') ?? '') : '';
    return isOwnRun(named) ? 'the task you are working on is ended by ending your turn' : null;
  }

  #take(scope: GrantScope | null): string | null {
    if (scope === null) return null;
    const now = performance.now();
    this.#signed = this.#signed.filter(at => now - at < WINDOW_MS);
    // The other half is for what the runner itself must say.
    const most = Math.max(1, Math.floor(scope.rate / 2));
    if (this.#signed.length >= most) return `more than ${most} events in a minute; wait and try again`;
    this.#signed.push(now);
    return null;
  }
}

function outside(scope: GrantScope | null, tool: string, kind: number): string | null {
  // A request for more access is open to every active agent.
  if (scope === null || tool === 'request_grant' || allowsKind(scope, kind)) return null;
  return `the grant does not allow kind ${kind}; call request_grant to ask for it`;
}
