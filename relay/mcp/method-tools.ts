// Tools that are a method of the management endpoint under another name: same gates, same queries, same answers
// (spec/mcp-tools.md section 2, spec/management.md). A method the relay does not have makes no tool.

import { z } from 'zod';
import type { Refusal, RelayContext } from '../context.ts';
import type { Answer, Caller } from '../management/method.ts';
import { callMethod, methodRefusal } from '../management/methods.ts';
import { JOBS_OFF } from '../protocol/job.ts';
import { cursor, hex, limit, room } from './fields.ts';
import { argumentRefusal, schemaOf, type Tool } from './tool.ts';

type Given = Record<string, unknown>;

type MethodTool = {
  name: string;
  title: string;
  description: string;
  nature: 'read' | 'change';
  method: string;
  fields?: z.ZodObject;
  /** The parameters of the method; without it the arguments as one object. */
  params?: (given: Given) => unknown[];
  /** Structured content is an object: a list is put under this name. */
  under?: string;
  closed?: (context: RelayContext, caller: Caller) => Refusal | null;
};

/** Makes the tool: gate of the method, strict arguments, the method itself. */
export function methodTool(made: MethodTool): Tool {
  const { name, title, description, nature, method, under } = made;
  const fields = made.fields ?? z.strictObject({});
  const params = made.params ?? (given => [given]);
  return {
    ...{ name, title, description, nature, inputSchema: schemaOf(fields) },
    closed: (context, caller) =>
      methodRefusal(context, caller, method) ?? made.closed?.(context, caller) ?? null,
    async run(context, caller, input): Promise<Answer> {
      const parsed = fields.safeParse(input);
      if (!parsed.success) return { refusal: argumentRefusal(parsed.error) };
      const done = await callMethod(context, caller, { method, params: params(parsed.data) });
      if ('refusal' in done) return done;
      return { result: under === undefined ? done.result : { [under]: done.result } };
    },
  };
}

const paged = { limit, cursor };
const jobsOff = (context: RelayContext) => (context.policy().features.jobs ? null : JOBS_OFF);
const guest = (_: RelayContext, caller: Caller) =>
  caller.role === '' ? 'restricted: callbacks are for members and agents' : null;
const read = (tool: Omit<MethodTool, 'nature'>) => methodTool({ ...tool, nature: 'read' });
const change = (tool: Omit<MethodTool, 'nature'>) => methodTool({ ...tool, nature: 'change' });

const inRoom = ({ room: id, ...rest }: Given) => [{ id, ...rest }];

export const readTools: readonly Tool[] = [
  read({
    name: 'list_rooms',
    title: 'List rooms',
    description: 'Rooms you may see, with their access, your role in each and the time of the last message.',
    method: 'browserooms',
    fields: z.strictObject(paged),
  }),
  read({
    name: 'read_room',
    title: 'Read a room',
    description: 'A room, its members and its messages, newest first.',
    method: 'browseroom',
    fields: z.strictObject({ room, ...paged }),
    params: inRoom,
  }),
  read({
    name: 'read_thread',
    title: 'Read a thread',
    description:
      'The message that opens a thread and its replies, newest first. Any message of the thread will do.',
    method: 'browsethread',
    fields: z.strictObject({ room, event: hex('event').describe('Id of a message of the thread'), ...paged }),
    params: inRoom,
  }),
  read({
    name: 'list_jobs',
    title: 'List long tasks',
    description: 'Long tasks you may see with their state and newest answer, newest first.',
    method: 'browsejobs',
    fields: z.strictObject({
      state: z.enum(['open', 'done', 'failed', 'cancelled', 'all']).optional(),
      mine: z.boolean().optional().describe('Only those you asked for'),
      ...paged,
    }),
    closed: jobsOff,
  }),
  read({
    name: 'read_job',
    title: 'Read a long task',
    description: 'One long task with every answer, oldest first.',
    method: 'browsejob',
    fields: z.strictObject({ id: hex('id').describe('Id of the job request') }),
    closed: jobsOff,
  }),
  read({
    name: 'list_approvals',
    title: 'List requests that ask you',
    description: 'Approvals, decisions and questions that name you, with their state and answer.',
    method: 'browseapprovals',
    fields: z.strictObject({ state: z.enum(['open', 'answered', 'expired', 'all']).optional(), ...paged }),
  }),
  read({
    name: 'read_approval',
    title: 'Read one request',
    description: 'A request you made or that asks you, with its answers.',
    method: 'browseapproval',
    fields: z.strictObject({ id: hex('id').describe('Id of the request') }),
  }),
  read({
    name: 'list_agents',
    title: 'List agents',
    description: 'Every agent with its grant, state and last event.',
    method: 'listagents',
    params: () => [],
    under: 'agents',
  }),
  read({
    name: 'list_callbacks',
    title: 'List callbacks',
    description: 'Your event callbacks; all of them for the owner and moderators.',
    method: 'listcallbacks',
    params: () => [],
    under: 'callbacks',
    closed: guest,
  }),
  read({
    name: 'list_join_requests',
    title: 'List join requests',
    description: 'People who asked to join, those still waiting first.',
    method: 'listjoinrequests',
    params: () => [],
    under: 'requests',
  }),
];

const agent = z.strictObject({ agent: hex('agent').describe('Public key of the agent') });
const person = z.strictObject({ pubkey: hex('pubkey').describe('Public key of the person') });
const callback = z.strictObject({ id: z.string({ error: 'id is required' }).describe('Id of the callback') });
const ofAgent = (given: Given) => [given.agent];
const ofPerson = (given: Given) => [given.pubkey];
const ofCallback = (given: Given) => [given.id];
const ofNothing = () => [];

export const changeTools: readonly Tool[] = [
  change({
    name: 'set_policy',
    title: 'Set policy',
    description:
      'Changes fields of the relay policy; fields left out stay. read_management shows the policy.',
    method: 'setpolicy',
    fields: z.strictObject({
      patch: z.record(z.string(), z.unknown(), { error: 'patch must be an object' }),
    }),
    params: given => [given.patch],
    closed: (_, caller) => (caller.role === 'owner' ? null : 'restricted: only the owner sets policy'),
  }),
  change({
    name: 'pause_agent',
    title: 'Pause an agent',
    description: 'Stops an agent until it is resumed.',
    method: 'pauseagent',
    fields: agent,
    params: ofAgent,
  }),
  change({
    name: 'resume_agent',
    title: 'Resume an agent',
    description: 'Lets a paused agent go on.',
    method: 'resumeagent',
    fields: agent,
    params: ofAgent,
  }),
  change({
    name: 'revoke_agent',
    title: 'Revoke an agent',
    description: 'Ends the grant of an agent for good.',
    method: 'revokeagent',
    fields: agent,
    params: ofAgent,
  }),
  change({
    name: 'pause_all_agents',
    title: 'Pause all agents',
    description: 'Stops every agent until it is resumed.',
    method: 'pauseallagents',
    params: ofNothing,
  }),
  change({
    name: 'resume_all_agents',
    title: 'Resume all agents',
    description: 'Lets every paused agent go on.',
    method: 'resumeallagents',
    params: ofNothing,
  }),
  change({
    name: 'approve_join',
    title: 'Approve a join request',
    description: 'Makes somebody who asked to join a member.',
    method: 'approvejoin',
    fields: person,
    params: ofPerson,
  }),
  change({
    name: 'deny_join',
    title: 'Deny a join request',
    description: 'Turns down somebody who asked to join.',
    method: 'denyjoin',
    fields: person,
    params: ofPerson,
  }),
  change({
    name: 'add_callback',
    title: 'Add a callback',
    description:
      'Has the relay POST each event that matches a filter to an https address of yours. The answer alone holds the secret of the signature.',
    method: 'addcallback',
    fields: z.strictObject({
      url: z.string({ error: 'url is required' }),
      filter: z
        .record(z.string(), z.unknown(), { error: 'filter is required' })
        .describe('kinds (required), authors, #e, #p, #a, #h'),
      secret: z.string().optional().describe('16 to 128 printable characters; made for you without one'),
    }),
    closed: (context, caller) => {
      const shut = context.policy().callbacks === 0 && caller.role !== 'owner';
      return guest(context, caller) ?? (shut ? 'restricted: this relay takes no callbacks' : null);
    },
  }),
  change({
    name: 'remove_callback',
    title: 'Remove a callback',
    description: 'Removes a callback; what waits for it is not sent.',
    method: 'removecallback',
    fields: callback,
    params: ofCallback,
    closed: guest,
  }),
  change({
    name: 'pause_callback',
    title: 'Pause a callback',
    description: 'Stops a callback until it is resumed.',
    method: 'pausecallback',
    fields: callback,
    params: ofCallback,
    closed: guest,
  }),
  change({
    name: 'resume_callback',
    title: 'Resume a callback',
    description: 'Lets a paused callback go on; what it missed is not sent.',
    method: 'resumecallback',
    fields: callback,
    params: ofCallback,
    closed: guest,
  }),
  change({
    name: 'backup_now',
    title: 'Back up now',
    description: 'Makes a backup of the relay at once.',
    method: 'backupnow',
    params: ofNothing,
  }),
];
