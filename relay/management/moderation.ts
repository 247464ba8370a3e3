// Moderation (spec/management.md section 5): keys, events, addresses and words shut out. What NIP-86 itself names
// answers in its shapes (spec/decisions.md 19).

import { isIP } from 'node:net';
import { z } from 'zod';
import type { Refusal, RelayContext } from '../context.ts';
import { isHex64 } from '../protocol/tags.ts';
import { banKey, banKeyRefusal } from './bans.ts';
import { banEvent, eventRefusal } from './event-removal.ts';
import {
  type Answer,
  answer,
  type Caller,
  type MethodTable,
  method,
  pubkeyRefusal,
  refuse,
} from './method.ts';

const noParams = z.array(z.unknown());
const reason = z.string().max(500).optional();
const keyParams = z.tuple([z.string({ error: 'bad pubkey' }), reason]).rest(z.unknown());
const idParams = z.tuple([z.string({ error: 'bad event id' }), reason]).rest(z.unknown());
const ipParams = z.tuple([z.string({ error: 'not an IP address' }), reason]).rest(z.unknown());
const wordParams = z.tuple([z.array(z.string().min(1).max(200)).max(1000)]).rest(z.unknown());
const kindParams = z
  .tuple([z.number({ error: 'kind must be a number' }).int().min(0).max(65_535)])
  .rest(z.unknown());

export const moderationMethods: MethodTable = {
  banpubkey: method('operators', keyParams, (context, caller, [key, why = '']) =>
    banPubkey(context, caller, key, why),
  ),
  unbanpubkey: method('operators', keyParams, (context, caller, [key]) => unbanPubkey(context, caller, key)),
  listbannedpubkeys: method('operators', noParams, context => answer(context.store.members.listBanned())),
  banevent: method('operators', idParams, (context, caller, [id, why = '']) =>
    shutOutEvent(context, caller, id, why),
  ),
  allowevent: method('operators', idParams, (context, caller, [id]) => allowEvent(context, caller, id)),
  listbannedevents: method('operators', noParams, context => answer(context.store.events.listBannedIds())),
  blockip: method('operators', ipParams, (context, caller, [ip, why = '']) =>
    setBlocked(context, caller, { ip, why, blocked: true }),
  ),
  unblockip: method('operators', ipParams, (context, caller, [ip]) =>
    setBlocked(context, caller, { ip, why: '', blocked: false }),
  ),
  listblockedips: method('operators', noParams, context => answer(context.store.ips.list())),
  allowkind: method('operators', kindParams, (context, caller, [kind]) =>
    setKind(context, caller, { kind, list: 'allowedKinds', action: 'allowkind' }),
  ),
  disallowkind: method('operators', kindParams, (context, caller, [kind]) =>
    setKind(context, caller, { kind, list: 'blockedKinds', action: 'disallowkind' }),
  ),
  unrulekind: method('operators', kindParams, (context, caller, [kind]) =>
    setKind(context, caller, { kind, list: null, action: 'unrulekind' }),
  ),
  listallowedkinds: method('operators', noParams, context => answer(context.policy().allowedKinds)),
  listblockedkinds: method('operators', noParams, context => answer(context.policy().blockedKinds)),
  setblockedwords: method('operators', wordParams, (context, caller, [words]) => {
    const change = { patch: { blockedWords: words }, action: 'setblockedwords', target: '' };
    const refusal = changePolicy(context, caller, change);
    return refusal === null ? answer(words) : refuse(refusal);
  }),
};

function banPubkey(context: RelayContext, caller: Caller, key: string, why: string): Answer {
  const refusal = banKeyRefusal(context, caller, key);
  if (refusal !== null) return refuse(refusal);
  context.transact(() => banKey(context, caller, key, why));
  return answer(true);
}

function unbanPubkey(context: RelayContext, caller: Caller, key: string): Answer {
  const bad = pubkeyRefusal(key);
  if (bad !== null) return refuse(bad);
  context.transact(() => {
    context.store.members.unban(key);
    context.store.audit.add({ actor: caller.pubkey, action: 'unbanpubkey', target: key });
  });
  return answer(true);
}

function shutOutEvent(context: RelayContext, caller: Caller, id: string, why: string): Answer {
  const refusal = eventRefusal(context, caller, id);
  if (refusal !== null) return refuse(refusal);
  context.transact(() => {
    banEvent(context, caller, id, why);
    context.store.audit.add({ actor: caller.pubkey, action: 'banevent', target: id, detail: why });
    context.accessChanged({ reason: 'access policy changed' });
  });
  return answer(true);
}

/** Lifts the ban of an event, and settles what was reported of it: it was looked at and may stay. */
function allowEvent(context: RelayContext, caller: Caller, id: string): Answer {
  if (!isHex64(id)) return refuse('invalid: bad event id');
  context.transact(() => {
    context.store.events.allowId(id);
    const decision = { by: caller.pubkey, at: context.now(), action: 'dismiss' };
    for (const report of context.store.reports.openOn(id)) context.store.reports.resolve(report.id, decision);
    context.store.audit.add({ actor: caller.pubkey, action: 'allowevent', target: id });
    context.accessChanged({ reason: 'access policy changed' });
  });
  return answer(true);
}

type Block = { ip: string; why: string; blocked: boolean };

function setBlocked(context: RelayContext, caller: Caller, { ip, why, blocked }: Block): Answer {
  if (isIP(ip) === 0) return refuse('invalid: not an IP address');
  context.transact(() => {
    if (blocked) context.store.ips.block(ip, why);
    else context.store.ips.unblock(ip);
    const action = blocked ? 'blockip' : 'unblockip';
    context.store.audit.add({ actor: caller.pubkey, action, target: ip, detail: why });
    context.accessChanged({ reason: 'access policy changed' });
  });
  return answer(true);
}

type KindRule = { kind: number; list: 'allowedKinds' | 'blockedKinds' | null; action: string };

/** A kind is on one list or on none. */
function setKind(context: RelayContext, caller: Caller, { kind, list, action }: KindRule): Answer {
  const { allowedKinds, blockedKinds } = context.policy();
  const without = (kinds: readonly number[]) => kinds.filter(other => other !== kind);
  const patch = {
    allowedKinds: [...without(allowedKinds), ...(list === 'allowedKinds' ? [kind] : [])],
    blockedKinds: [...without(blockedKinds), ...(list === 'blockedKinds' ? [kind] : [])],
  };
  const refusal = changePolicy(context, caller, { patch, action, target: String(kind) });
  return refusal === null ? answer(true) : refuse(refusal);
}

type PolicyChange = { patch: Record<string, unknown>; action: string; target: string };

function changePolicy(context: RelayContext, caller: Caller, change: PolicyChange): Refusal | null {
  return context.transact(() => {
    const merged = context.setPolicy(change.patch);
    if ('refusal' in merged) return merged.refusal;
    const { action, target } = change;
    context.store.audit.add({ actor: caller.pubkey, action, target });
    context.accessChanged({ reason: 'access policy changed' });
    return null;
  });
}
