// Event callbacks as the owner sees them: every key's, over the relay's management endpoint. The relay sends no word of
// a delivery, so the list is read anew when something came that a callback waits for, and while one fails.

import { z } from 'zod';
import { callbackMatcher, parseCallbackFilter } from '../relay/protocol/callback-filter.ts';
import type { NostrEvent } from '../relay/protocol/event.ts';
import type { Agents } from './agents.ts';
import { CallFailure } from './bridge.ts';
import { coalesce } from './coalesce.ts';
import {
  type CallbackList,
  type CallbackView,
  callbackLogEntry,
  callbackView,
} from './contract/callbacks.ts';
import type { Handlers } from './contract/features.ts';
import { LIVE_KINDS, type Live } from './live.ts';
import type { Push } from './push.ts';
import type { RelayLink } from './relay-link.ts';

export type CallbacksParts = {
  link: RelayLink;
  live: Live;
  push: Push;
  agents: Pick<Agents, 'onChange'>;
  failed(error: unknown): void;
};

export type CallbacksFeature = { handlers: Handlers<'callbacks'>; close(): void };

const policy = z.object({ callbacks: z.number(), callbackTargets: z.enum(['public', 'loopback']) });
const views = z.array(callbackView);
const made = callbackView.extend({ secret: z.string() });
const log = z.array(callbackLogEntry);

/** After an event that a callback waits for: time for most receivers to have answered, and for slow ones. */
const SOON_MS = 400;
const LATER_MS = 11_000;
/** While one fails: retries follow after one and five minutes. */
const FAILING_MS = 30_000;

/** Opens the feature. */
export function createCallbacks({ link, live, push, agents, failed }: CallbacksParts): CallbacksFeature {
  let known: CallbackList | null = null;
  let again: NodeJS.Timeout | undefined;
  const grants = new Map<string, string>();

  async function read(): Promise<CallbackList> {
    const [items, rules] = await Promise.all([link.call('listcallbacks'), link.call('getpolicy')]);
    const { callbacks, callbackTargets } = policy.parse(rules);
    const list = { items: views.parse(items), allowance: callbacks, targets: callbackTargets };
    if (JSON.stringify(list) !== JSON.stringify(known)) push('callbacks.changed', list);
    known = list;
    if (list.items.some(({ failures, paused }) => failures > 0 && !paused)) readIn(FAILING_MS);
    return list;
  }
  function readIn(ms: number): void {
    clearTimeout(again);
    again = setTimeout(() => soon.ask(), ms);
    again.unref();
  }
  const soon = coalesce(SOON_MS, async () => void (await read()), failed);

  /** Does it, then tells every page how the list stands. */
  async function act<T>(what: Promise<T>): Promise<T> {
    const done = await what;
    await read().catch(failed);
    return done;
  }

  const stops = [
    live.onLive(() => soon.ask()),
    live.on(LIVE_KINDS, event => {
      if (known?.items.some(callback => waitsFor(callback, event)) !== true) return;
      soon.ask();
      readIn(LATER_MS);
    }),
    agents.onChange(({ pubkey, grant }) => {
      // A grant that is paused, revoked or given anew changes what its key may hear; a run does not.
      const now = grant === null ? '' : `${grant.event} ${grant.paused} ${grant.revoked}`;
      if (grants.get(pubkey) === now) return;
      grants.set(pubkey, now);
      soon.ask();
    }),
  ];

  const handlers: Handlers<'callbacks'> = {
    list: read,
    add: async draft => made.parse(await act(link.call('addcallback', draft).catch(named))),
    pause: async ({ id }) => callbackView.parse(await act(link.call('pausecallback', id))),
    resume: async ({ id }) => callbackView.parse(await act(link.call('resumecallback', id))),
    async remove({ id }) {
      await act(link.call('removecallback', id));
      return {};
    },
    log: async ({ id }) => log.parse(await link.call('callbacklog', id)),
    async redeliver({ id, event }) {
      await link.call('redelivercallback', id, event);
      soon.ask();
      readIn(LATER_MS);
      return {};
    },
    async setRules({ allowance, targets }) {
      const patch = {
        ...(allowance === undefined ? {} : { callbacks: allowance }),
        ...(targets === undefined ? {} : { callbackTargets: targets }),
      };
      await link.call('setpolicy', patch);
      return read();
    },
  };
  return {
    handlers,
    close() {
      clearTimeout(again);
      soon.close();
      for (const stop of stops) stop();
    },
  };
}

function waitsFor({ filter, paused }: CallbackView, event: NostrEvent): boolean {
  if (paused) return false;
  const parsed = parseCallbackFilter(filter);
  return parsed.ok && callbackMatcher(parsed.value)(event);
}

/** The relay's complaint about a part of the registration, at the field it belongs to. */
function named(error: unknown): never {
  const details = error instanceof CallFailure ? (error.failure.details ?? '') : '';
  const [, field, text] = /^invalid: callback (url|filter|secret) (.+)$/.exec(details) ?? [];
  if (field === undefined || text === undefined) throw error;
  const what = field === 'url' ? 'The URL' : `The ${field}`;
  throw new CallFailure('invalid', `${what} ${text}.`, { details, fields: { [field]: `${what} ${text}` } });
}
