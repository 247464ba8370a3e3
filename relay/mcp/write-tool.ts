// Tools that publish an event. The relay never signs for a caller: called with plain fields a tool answers the template,
// called again with the signed event it publishes through the ordinary gate (spec/mcp-tools.md section 1).

import { z } from 'zod';
import type { Refusal, RelayContext } from '../context.ts';
import { LIMITS } from '../limits.ts';
import type { Answer, Caller } from '../management/method.ts';
import type { NostrEvent } from '../protocol/event.ts';
import { allowsKind, grantStateRefusal } from '../protocol/grant-scope.ts';
import { parseEvent } from '../protocol/parse-event.ts';
import { signedEvent } from './fields.ts';
import { argumentRefusal, schemaOf, type Tool } from './tool.ts';

/** `after`: the second the event must come behind, so that readers see it as the newer one. */
export type Draft = { kind: number; tags: string[][]; content: string; after?: number };

type WriteTool<Fields> = {
  name: string;
  title: string;
  description: string;
  /** The kinds it publishes; open when at least one of them may be published. */
  kinds: readonly [number, ...number[]];
  fields: z.ZodType<Fields> & z.ZodObject;
  /** Tags every event of the tool carries, to name them when one is malformed. */
  tags: readonly string[];
  /** Belongs to a room or a long task, which are for members alone. */
  membersOnly?: true;
  /** Shut for reasons of its own, before its kinds are looked at. */
  closed?: (context: RelayContext, caller: Caller) => Refusal | null;
  /** Decides alone, instead of the kinds. */
  opens?: (context: RelayContext, caller: Caller) => Refusal | null;
  build(context: RelayContext, caller: Caller, fields: Fields): Draft | { refusal: Refusal };
  /** Where a field of its own is called `event` as well: that id, as the signed event gives it. */
  eventField?: (event: NostrEvent) => string | undefined;
};

export function writeTool<Fields>(made: WriteTool<Fields>): Tool {
  const { name, title, description, fields } = made;
  return {
    ...{ name, title, nature: 'write' as const, inputSchema: inputSchema(made) },
    description: `${description} Answers an unsigned event of kind ${made.kinds.join(' or ')}; sign it and call again with it as \`event\`.`,
    closed: (context, caller) => {
      if (made.membersOnly === true && caller.role === '')
        return 'restricted: rooms are for members of this relay';
      const open = made.opens?.(context, caller);
      if (open !== undefined) return open;
      return made.closed?.(context, caller) ?? kindsRefusal(context, caller, made.kinds);
    },
    run(context, caller, input) {
      const { event, ...plain } = input;
      if (typeof event === 'object' && event !== null) return submit(made, context, caller, { event, plain });
      const given = fields.safeParse(input);
      if (!given.success) return { refusal: argumentRefusal(given.error) };
      const draft = made.build(context, caller, given.data);
      return 'refusal' in draft ? draft : { result: unsigned(context, name, draft) };
    },
  };
}

/** Publishes any signed event through the ordinary gate. */
export async function publish(context: RelayContext, caller: Caller, event: NostrEvent): Promise<Answer> {
  const { ip } = caller;
  const origin = { via: 'http' as const, keys: [caller.pubkey], ...(ip === undefined ? {} : { ip }) };
  const { accepted, message } = await context.admission.publish(event, origin);
  return accepted ? { result: { accepted, event_id: event.id, message } } : { refusal: message };
}

/** Why the caller may publish none of the kinds, or null when one of them could pass the gate. */
export function kindsRefusal(
  context: RelayContext,
  caller: Caller,
  kinds: readonly number[],
): Refusal | null {
  let refusal: Refusal | null = null;
  for (const kind of kinds) {
    refusal = kindRefusal(context, caller, kind);
    if (refusal === null) return null;
  }
  return refusal;
}

/** What admission would say of the kind alone: grant, kind rules, write policy. */
function kindRefusal(context: RelayContext, { pubkey, role }: Caller, kind: number): Refusal | null {
  const { allowedKinds, blockedKinds, openKinds, writes } = context.policy();
  const listed = allowedKinds.length === 0 || allowedKinds.includes(kind);
  if (blockedKinds.includes(kind) || !listed) return `blocked: kind ${kind} is not taken here`;
  const grant = context.roles.isBound(pubkey) ? context.store.grants.get(pubkey) : null;
  if (grant !== null) {
    const state = grantStateRefusal(context.store.grants.state(grant));
    if (state !== null) return state;
    if (!allowsKind(grant.scope, kind)) return `restricted: agent grant does not allow kind ${kind}`;
  }
  if (role === 'owner' || role === 'agent') return null;
  if (writes === 'owner') return 'blocked: write policy: only the owner publishes here';
  const open = writes === 'open' || writes === 'wot' || openKinds.includes(kind);
  return role !== '' || open ? null : 'blocked: write policy: only members publish here';
}

function unsigned(context: RelayContext, name: string, { kind, tags, content, after = 0 }: Draft) {
  return {
    unsigned: { kind, created_at: Math.max(context.now(), after + 1), tags, content },
    next: `Sign unsigned exactly as it is and call ${name} again with the same arguments and the signed event as event.`,
  };
}

type Submission = { event: object; plain: Record<string, unknown> };

async function submit<Fields>(
  made: WriteTool<Fields>,
  context: RelayContext,
  caller: Caller,
  { event: input, plain }: Submission,
): Promise<Answer> {
  const parsed = parseEvent(input, LIMITS);
  if (!parsed.ok) return { refusal: `${parsed.refusal}. ${expected(made.kinds, made.tags)}` };
  const event = parsed.value;
  let draft: Draft | null = null;
  // The event alone is enough; fields that come with it must say the same.
  if (Object.keys(plain).length > 0) {
    const own = made.eventField?.(event);
    const given = made.fields.safeParse(own === undefined ? plain : { ...plain, event: own });
    if (!given.success) return { refusal: argumentRefusal(given.error) };
    const built = made.build(context, caller, given.data);
    if ('refusal' in built) return built;
    draft = built;
  }
  const kinds = draft === null ? made.kinds : [draft.kind];
  const tags = draft === null ? made.tags.map(tag => [tag]) : draft.tags;
  if (!kinds.includes(event.kind) || !tags.every(tag => carries(event, tag))) {
    const names = [...new Set(tags.map(([tag = '']) => tag))];
    return { refusal: `invalid: the event is not the one this tool publishes. ${expected(kinds, names)}` };
  }
  const done = await publish(context, caller, event);
  const mendable = 'refusal' in done && done.refusal.startsWith('invalid:');
  return mendable ? { refusal: `${done.refusal}. ${expected(kinds, made.tags)}` } : done;
}

function carries(event: NostrEvent, tag: readonly string[]): boolean {
  return event.tags.some(own => tag.every((value, index) => own[index] === value));
}

function expected(kinds: readonly number[], tags: readonly string[]): string {
  const names = tags.length === 0 ? '' : ` with the tags ${tags.join(', ')}`;
  return `Expected a signed kind ${kinds.join(' or ')} event${names}.`;
}

/** The fields with `event` beside them; where a field is called `event` already it takes either. */
function inputSchema<Fields>({ fields, eventField }: WriteTool<Fields>): Record<string, unknown> {
  const event = signedEvent.optional();
  const own = fields.shape.event;
  if (eventField !== undefined && own instanceof z.ZodType) {
    return schemaOf(fields.extend({ event: z.union([own, signedEvent]) }));
  }
  return schemaOf(fields.extend({ event }));
}

const publishFields = z.strictObject({ event: signedEvent });

export const publishTool: Tool = {
  name: 'publish_event',
  title: 'Publish an event',
  description: 'Publishes any event you have signed.',
  nature: 'write',
  inputSchema: schemaOf(publishFields),
  closed: (context, caller) => {
    const bound = context.roles.isBound(caller.pubkey) ? context.store.grants.get(caller.pubkey) : null;
    return bound === null ? null : grantStateRefusal(context.store.grants.state(bound));
  },
  run(context, caller, input) {
    const given = publishFields.safeParse(input);
    if (!given.success) return { refusal: argumentRefusal(given.error) };
    const parsed = parseEvent(given.data.event, LIMITS);
    if (!parsed.ok) return { refusal: `${parsed.refusal}. Expected a signed event.` };
    return publish(context, caller, parsed.value);
  },
};
