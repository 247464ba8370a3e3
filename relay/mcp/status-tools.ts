// read_status, which says where the caller stands on this relay, and read_management, what its operators look up
// (spec/mcp-tools.md section 2).

import { z } from 'zod';
import type { RelayContext } from '../context.ts';
import { informationDocument } from '../http/information.ts';
import type { Answer, Caller } from '../management/method.ts';
import { callMethod, methodRefusal } from '../management/methods.ts';
import { argumentRefusal, schemaOf, type Tool } from './tool.ts';

/** What an operator may look up, by the method that answers it. */
const SECTIONS = {
  policy: 'getpolicy',
  members: 'listmembers',
  invites: 'listinvites',
  audit: 'listaudit',
  storage: 'stats',
  banned_keys: 'listbannedpubkeys',
  banned_events: 'listbannedevents',
  blocked_addresses: 'listblockedips',
} as const;

const noFields = z.strictObject({});
const sectionFields = z.strictObject({
  section: z
    .enum(Object.keys(SECTIONS) as (keyof typeof SECTIONS)[], {
      error: `section must be one of ${Object.keys(SECTIONS).join(', ')}`,
    })
    .default('policy'),
});

export const statusTools: readonly Tool[] = [
  {
    name: 'read_status',
    title: 'Read the state of the relay',
    description: 'What this relay is and offers, and where you stand: your role and the state of your grant.',
    nature: 'read',
    inputSchema: schemaOf(noFields),
    closed: () => null,
    run(context, caller, input) {
      const parsed = noFields.safeParse(input);
      return parsed.success
        ? { result: statusOf(context, caller) }
        : { refusal: argumentRefusal(parsed.error) };
    },
  },
  {
    name: 'read_management',
    title: 'Read what operators see',
    description: 'Policy, members, invites, audit log, storage and bans, a section at a time.',
    nature: 'read',
    inputSchema: schemaOf(sectionFields),
    closed: (context, caller) => methodRefusal(context, caller, 'getpolicy'),
    async run(context, caller, input): Promise<Answer> {
      const parsed = sectionFields.safeParse(input);
      if (!parsed.success) return { refusal: argumentRefusal(parsed.error) };
      const { section } = parsed.data;
      const done = await callMethod(context, caller, { method: SECTIONS[section], params: [] });
      return 'refusal' in done ? done : { result: { [section]: done.result } };
    },
  },
];

function statusOf(context: RelayContext, caller: Caller): Record<string, unknown> {
  const grant = context.store.grants.get(caller.pubkey);
  const { features } = context.policy();
  return {
    relay: informationDocument(context),
    capabilities: { ...features },
    you: {
      pubkey: caller.pubkey,
      role: caller.role,
      ...(grant === null ? {} : { grant: context.store.grants.state(grant), grant_expires: grant.expires }),
    },
    ...(context.roles.isOperator(caller.pubkey)
      ? {
          storage: context.store.events.stats(),
          database: context.store.health(),
          sockets: context.live.size(),
        }
      : {}),
  };
}
