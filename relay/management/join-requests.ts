// Requests to be let in, for those who decide (spec/management.md section 4).

import { z } from 'zod';
import type { RelayContext } from '../context.ts';
import { approve, deny } from '../membership/join-requests.ts';
import {
  type Answer,
  answer,
  type Caller,
  type MethodTable,
  method,
  pubkeyRefusal,
  refuse,
} from './method.ts';

const MOST_LISTED = 200;
const noParams = z.array(z.unknown());
const keyParams = z.tuple([z.string({ error: 'bad pubkey' })]).rest(z.unknown());

export const joinRequestMethods: MethodTable = {
  listjoinrequests: method('operators', noParams, context =>
    answer(context.store.joinRequests.list(MOST_LISTED)),
  ),
  approvejoin: method('operators', keyParams, (context, caller, [key]) =>
    decide(context, caller, key, 'approved'),
  ),
  denyjoin: method('operators', keyParams, (context, caller, [key]) =>
    decide(context, caller, key, 'denied'),
  ),
};

function decide(context: RelayContext, caller: Caller, key: string, status: 'approved' | 'denied'): Answer {
  const bad = pubkeyRefusal(key);
  if (bad !== null) return refuse(bad);
  const request = context.store.joinRequests.get(key);
  if (request === null) return refuse('not found: no request of this key');
  if (status === 'denied' && request.status === 'approved') {
    return refuse('invalid: the request was approved: remove the member instead');
  }
  if (status === 'approved' && context.store.members.isBanned(key)) {
    return refuse('invalid: this key is banned: lift the ban first');
  }
  context.transact(() => {
    if (status === 'approved') approve(context, caller.pubkey, request);
    else deny(context, caller.pubkey, request);
  });
  return answer({ pubkey: key, status });
}
