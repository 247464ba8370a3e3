// Reports and what is done about them (NIP-56, spec/management.md section 5).

import { z } from 'zod';
import type { Refusal, RelayContext, ReportRecord } from '../context.ts';
import { banKey, banKeyRefusal } from './bans.ts';
import { banEvent, eventRefusal, takeAway } from './event-removal.ts';
import { type Answer, answer, type Caller, type MethodTable, method, refuse } from './method.ts';

const MOST_LISTED = 200;
const MOST_WAITING = 500;
const noParams = z.array(z.unknown());
const listParams = z
  .tuple([
    z
      .enum(['open', 'resolved', 'all'], { error: 'report status must be open, resolved or all' })
      .default('open'),
  ])
  .rest(z.unknown());
const resolveParams = z
  .tuple([
    z.string({ error: 'bad report id' }),
    z.enum(['ban', 'delete', 'dismiss'], { error: 'action must be ban, delete or dismiss' }),
  ])
  .rest(z.unknown());
type Action = z.infer<typeof resolveParams>[1];

export const reportMethods: MethodTable = {
  listreports: method('operators', z.preprocess(defaulted, listParams), (context, _caller, [status]) =>
    answer(context.store.reports.list(status, MOST_LISTED).map(shown)),
  ),
  resolvereport: method('operators', resolveParams, (context, caller, [id, action]) =>
    resolve(context, caller, id, action),
  ),
  listeventsneedingmoderation: method('operators', noParams, context => answer(waiting(context))),
};

/** A tuple does not fill in what is missing from its end. */
function defaulted(params: unknown): unknown {
  return Array.isArray(params) && params.length === 0 ? [undefined] : params;
}

function shown({ counts: _, ...report }: ReportRecord): Omit<ReportRecord, 'counts'> {
  return report;
}

/** Events that are here and under an open report, each once, newest report first, with what was said. */
function waiting(context: RelayContext): { id: string; reason: string }[] {
  const found = new Map<string, { id: string; reason: string }>();
  for (const { target_event: id, type, content } of context.store.reports.list('open', MOST_WAITING)) {
    if (id === '' || found.has(id) || context.store.events.get(id) === null) continue;
    found.set(id, { id, reason: content === '' ? type : `${type}: ${content}` });
  }
  return [...found.values()];
}

function resolve(context: RelayContext, caller: Caller, id: string, action: Action): Answer {
  const { store } = context;
  const report = store.reports.get(id);
  if (report === null) return refuse('not found: report');
  if (report.status !== 'open') return refuse('invalid: this report has been resolved');
  const refusal = actionRefusal(context, caller, report, action);
  if (refusal !== null) return refuse(refusal);
  context.transact(() => {
    const decision = { by: caller.pubkey, at: context.now(), action };
    const same = report.target_event === '' ? [report] : store.reports.openOn(report.target_event);
    for (const one of same) store.reports.resolve(one.id, decision);
    act(context, caller, report, action);
    store.audit.add({ actor: caller.pubkey, action: 'resolvereport', target: id, detail: action });
    context.accessChanged({ reason: 'access policy changed' });
  });
  return answer({ resolved: id, action });
}

function actionRefusal(
  context: RelayContext,
  caller: Caller,
  report: ReportRecord,
  action: Action,
): Refusal | null {
  if (action === 'dismiss') return null;
  if (report.target_event !== '') return eventRefusal(context, caller, report.target_event);
  if (action === 'delete') return 'invalid: the report names no event to delete';
  return banKeyRefusal(context, caller, report.target_pubkey);
}

/** A report of an event is about that event, one without about the key. */
function act(context: RelayContext, caller: Caller, report: ReportRecord, action: Action): void {
  const { target_event, target_pubkey, type } = report;
  if (action === 'dismiss') return;
  if (target_event === '') banKey(context, caller, target_pubkey, type);
  else if (action === 'ban') banEvent(context, caller, target_event, type);
  else takeAway(context, caller, target_event);
}
