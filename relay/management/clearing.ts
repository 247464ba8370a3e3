// Clearing away by age (spec/management.md section 5): how long the events of a kind are kept, and removing them now.

import { z } from 'zod';
import type { RelayContext } from '../context.ts';
import type { Filter, NostrEvent } from '../protocol/event.ts';
import { isStateKind } from '../protocol/state-kinds.ts';
import { type Answer, answer, type Caller, type MethodTable, method, refuse } from './method.ts';

const DAY = 86_400;
/** Events one transaction removes: the sockets are served in between. */
const AT_ONCE = 200;

const noParams = z.array(z.unknown());
const kind = z.number({ error: 'kind must be a number' }).int().min(0).max(65_535);
const days = z.number({ error: 'days must be a number' }).int().min(1, 'days must be at least 1').max(36_500);
const retentionParams = z.tuple([kind, days.nullable()]).rest(z.unknown());
const purgeParams = z.tuple([kind.nullable(), days.nullish().optional()]).rest(z.unknown());

export const clearingMethods: MethodTable = {
  setretention: method('owner', retentionParams, (context, caller, [kind, days]) =>
    setRetention(context, caller, kind, days),
  ),
  listretention: method('operators', noParams, context => answer(context.store.retention.list())),
  purgekind: method('owner', purgeParams, (context, caller, [kind, days]) =>
    purge(context, caller, kind, days ?? null),
  ),
};

function stateRefusal(kind: number): string {
  return `invalid: events of kind ${kind} say how this relay stands and are kept`;
}

/** `null` days keep the kind for ever again. */
function setRetention(context: RelayContext, caller: Caller, kind: number, days: number | null): Answer {
  if (isStateKind(kind)) return refuse(stateRefusal(kind));
  context.transact(() => {
    context.store.retention.set(kind, days);
    const detail = days === null ? 'for ever' : String(days);
    context.store.audit.add({ actor: caller.pubkey, action: 'setretention', target: String(kind), detail });
  });
  return answer({ kind, days });
}

async function purge(
  context: RelayContext,
  caller: Caller,
  kind: number | null,
  days: number | null,
): Promise<Answer> {
  if (kind !== null && isStateKind(kind)) return refuse(stateRefusal(kind));
  const until = context.now() - (days ?? 0) * DAY;
  const target = kind === null ? 'all' : String(kind);
  const detail = days === null ? '' : `older than ${days} days`;
  context.transact(() => {
    context.store.audit.add({ actor: caller.pubkey, action: 'purgekind', target, detail });
  });
  const filter: Filter = kind === null ? { until } : { kinds: [kind], until };
  let deleted = 0;
  let after: NostrEvent | undefined;
  for (;;) {
    const { due, last } = nextPage(context, filter, after);
    deleted += context.transact(() => due.filter(({ id }) => context.store.events.remove(id)).length);
    if (last === undefined) return answer({ deleted });
    after = last;
    await new Promise(resolve => setImmediate(resolve));
  }
}

/** The next events to go, and the last that was looked at when there may be more. */
function nextPage(context: RelayContext, filter: Filter, after: NostrEvent | undefined) {
  const due: NostrEvent[] = [];
  let looked = 0;
  for (const event of context.store.events.scan(filter, after, { expired: true })) {
    looked += 1;
    if (!isStateKind(event.kind)) due.push(event);
    if (looked === AT_ONCE) return { due, last: event };
  }
  return { due, last: undefined };
}
