// The callback methods of the management endpoint (spec/management.md section 3): members and agents have a say over
// their own, the owner and moderators over all.

import { z } from 'zod';
import type { RelayContext } from '../context.ts';
import { type Answer, answer, type Caller, type MethodTable, method, refuse } from '../management/method.ts';
import type { Parsed } from '../protocol/reasons.ts';
import { isHex64 } from '../protocol/tags.ts';
import type { Registrations } from './registration.ts';

const noParams = z.array(z.unknown());
const id = z.string({ error: 'the id of a callback is missing' });
const idParams = z.tuple([id]).rest(z.unknown());
const anything = z.unknown().optional();
const registration = z.object(
  { url: anything, filter: anything, secret: anything },
  { error: 'must be {url, filter, secret?}' },
);
const addParams = z.tuple([registration]).rest(z.unknown());
const eventParams = z.tuple([id, z.string().refine(isHex64, 'must be an event id')]).rest(z.unknown());

/** `find` answers the callbacks of the relay that was called. */
export function callbackMethods(find: (context: RelayContext) => Registrations): MethodTable {
  const named = <T>(
    name: string,
    params: z.ZodType<T>,
    run: (callbacks: Registrations, caller: Caller, params: T) => Parsed<unknown>,
  ) =>
    method('signed', params, (context, caller, given): Answer => {
      if (caller.role === '') return refuse(`restricted: guest may not ${name}`);
      const done = run(find(context), caller, given);
      return done.ok ? answer(done.value) : refuse(done.refusal);
    });
  return {
    addcallback: named('addcallback', addParams, (callbacks, caller, [input]) =>
      callbacks.add(caller, input),
    ),
    listcallbacks: named('listcallbacks', noParams, (callbacks, caller) => {
      callbacks.review();
      return { ok: true, value: callbacks.list(caller) };
    }),
    removecallback: named('removecallback', idParams, (callbacks, caller, [it]) =>
      callbacks.remove(caller, it),
    ),
    pausecallback: named('pausecallback', idParams, (callbacks, caller, [it]) => callbacks.pause(caller, it)),
    resumecallback: named('resumecallback', idParams, (callbacks, caller, [it]) =>
      callbacks.resume(caller, it),
    ),
    callbacklog: named('callbacklog', idParams, (callbacks, caller, [it]) => callbacks.log(caller, it)),
    redelivercallback: named('redelivercallback', eventParams, (callbacks, caller, [it, event]) =>
      callbacks.redeliver(caller, it, event),
    ),
  };
}
