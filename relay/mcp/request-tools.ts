// Tools that ask a person: request_decision with or without a native card, and an agent's request for more access
// (seeds "Asking a person" and "Requesting additional access", spec/mcp-tools.md section 2).

import { z } from 'zod';
import type { Refusal, RelayContext } from '../context.ts';
import type { Caller } from '../management/method.ts';
import { changesSchema, parseGrantRequest, replaceGrant } from '../protocol/grant-request.ts';
import { grantStateRefusal } from '../protocol/grant-scope.ts';
import { isNative, parseInteraction } from '../protocol/interaction.ts';
import { KIND } from '../protocol/kinds.ts';
import { characters } from '../protocol/tags.ts';
import { content, expiration, hex, room } from './fields.ts';
import type { Tool } from './tool.ts';
import { type Draft, writeTool } from './write-tool.ts';

const label = z.string().min(1).max(200);
const options = z
  .array(z.union([label, z.strictObject({ id: z.string().min(1).max(64), label })]))
  .min(1)
  .max(12)
  .optional()
  .describe('Choices to offer, as labels or as {id, label}');

const decisionFields = z.strictObject({
  pubkey: hex('pubkey').describe('Public key of the person asked'),
  request: z.enum(['approve', 'decide', 'question'], {
    error: 'request must be approve, decide or question',
  }),
  content,
  room: room.optional().describe('Room to ask in; otherwise root, root_kind and root_pubkey'),
  root: hex('root').optional().describe('Id of the event the question is about'),
  root_kind: z.number().int().min(0).max(65_535).optional(),
  root_pubkey: hex('root_pubkey').optional(),
  subject: z.string().max(200).optional(),
  expiration,
  options,
  selection: z.enum(['single', 'multiple', 'text']).optional(),
  freeform: z.boolean().optional().describe('Take an answer in words beside the choices'),
  mention: z.boolean().optional().describe('Wake the person for it'),
});
type Decision = z.infer<typeof decisionFields>;

const requestDecision = writeTool({
  name: 'request_decision',
  title: 'Ask a person',
  description:
    'An approval, a decision or a question for one person, in a room or about an event. Wait for the answer with read_approval.',
  kinds: [KIND.chat, KIND.comment],
  fields: decisionFields,
  tags: ['request', 'p'],
  build(context, _caller, given) {
    const draft = given.room === undefined ? askedAbout(given) : askedIn(given, given.room);
    if ('refusal' in draft) return draft;
    if (given.expiration !== undefined && given.expiration <= context.now()) {
      return { refusal: 'invalid: expiration is in the past' };
    }
    const card = isNative(draft) ? parseInteraction(draft) : null;
    return card === null || card.ok ? draft : card;
  },
});

function askedIn(given: Decision, id: string): Draft {
  return {
    kind: KIND.chat,
    tags: [['h', id], ['p', given.pubkey], ...asking(given)],
    content: given.content,
  };
}

function askedAbout(given: Decision): Draft | { refusal: Refusal } {
  const { root, root_kind, root_pubkey, pubkey } = given;
  if (root === undefined || root_kind === undefined || root_pubkey === undefined) {
    return { refusal: 'invalid: room is required, or root, root_kind and root_pubkey together' };
  }
  return {
    kind: KIND.comment,
    tags: [
      ['E', root, '', root_pubkey],
      ['K', String(root_kind)],
      ['P', root_pubkey],
      ['e', root, '', root_pubkey],
      ['k', String(root_kind)],
      // Only the person asked: every other p would be asked as well.
      ['p', pubkey],
      ...asking(given),
    ],
    content: given.content,
  };
}

function asking(given: Decision): string[][] {
  return [
    ['request', given.request],
    ...cardOf(given),
    ...(given.subject === undefined || given.subject === '' ? [] : [['subject', given.subject]]),
    ...(given.expiration === undefined ? [] : [['expiration', String(given.expiration)]]),
  ];
}

/** The native tags; none when nothing native was asked for. */
function cardOf({ request, options: choices, selection, freeform, mention, pubkey }: Decision): string[][] {
  const native = choices ?? selection ?? freeform ?? mention;
  if (native === undefined) return [];
  const listed = (choices ?? []).map((choice, index) =>
    typeof choice === 'string' ? ['option', `c${index}`, choice] : ['option', choice.id, choice.label],
  );
  return [
    ['tinyagent', '1'],
    ['interaction', request === 'approve' ? 'approval' : 'question'],
    ['selection', selection ?? (listed.length > 0 ? 'single' : 'text')],
    ...listed,
    ...(freeform === true ? [['freeform', 'true']] : []),
    ...(mention === true ? [['mention', pubkey]] : []),
  ];
}

const requestGrant = writeTool({
  name: 'request_grant',
  title: 'Ask for more access',
  description:
    'Asks the operator of your grant for more. Names the grant and the operator for you; nothing changes until the operator signs.',
  kinds: [KIND.comment],
  fields: z.strictObject({
    reason: z
      .string({ error: 'reason is required' })
      .refine(text => characters(text.trim()) >= 1 && characters(text.trim()) <= 500, {
        error: 'reason must be 1 to 500 characters',
      })
      .describe('Why, for the operator to read'),
    changes: changesSchema.describe('What to add or replace'),
    subject: z.string().max(200).optional(),
    expiration,
  }),
  tags: ['E', 'e', 'K', 'k', 'P', 'p', 'request', 'grant'],
  // The kind need not be granted for this (spec/agent-grants.md section 4).
  opens: grantHolder,
  build(context, caller, { reason, changes, subject, expiration: expires }) {
    const grant = context.store.grants.get(caller.pubkey);
    const base = grant === null ? null : context.store.events.get(grant.event_id);
    if (grant === null || base === null) return { refusal: 'restricted: there is no agent grant to change' };
    const { event_id, owner } = grant;
    const about = [event_id, '', owner];
    const draft = {
      kind: KIND.comment,
      tags: [
        ['E', ...about],
        ['K', String(KIND.agentGrant)],
        ['P', owner],
        ['e', ...about],
        ['k', String(KIND.agentGrant)],
        ['p', owner],
        ['request', 'grant'],
        ['grant', JSON.stringify({ base: event_id, changes })],
        ...(subject === undefined || subject === '' ? [] : [['subject', subject]]),
        ...(expires === undefined ? [] : [['expiration', String(expires)]]),
      ],
      content: reason,
    };
    // What the gate would refuse is refused before anybody signs it.
    const now = context.now();
    const event = { ...draft, id: '0'.repeat(64), pubkey: caller.pubkey, created_at: now, sig: '' };
    const request = parseGrantRequest(event);
    if (!request.ok) return request;
    const replacement = replaceGrant(request.value, base, now);
    return replacement.ok ? draft : replacement;
  },
});

function grantHolder(context: RelayContext, caller: Caller): Refusal | null {
  const grant = caller.role === 'agent' ? context.store.grants.get(caller.pubkey) : null;
  if (grant === null) return 'restricted: only an agent can ask for a change of its grant';
  return grantStateRefusal(context.store.grants.state(grant));
}

export const requestTools: readonly Tool[] = [requestDecision, requestGrant];
