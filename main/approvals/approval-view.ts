// From what the relay says of a request (browseapprovals, spec/browse-queries.md section 4) to what the dashboard
// shows: the runner's prompt taken apart, and whether the whole of what would be approved is there (case D5).

import { z } from 'zod';
import { parsePermissionPrompt } from '../../relay/protocol/permission-prompt.ts';
import { isHex64, rootReference, tagValue } from '../../relay/protocol/tags.ts';
import { grantView } from '../agents/grants.ts';
import { type ApprovalView, approvalView } from '../contract/approvals.ts';

const shape = approvalView.shape;

/** One item of browseapprovals. Fields the dashboard adds itself are not in it. */
export const relayItem = z.object({
  id: shape.id,
  kind: shape.kind,
  type: shape.type,
  asker: shape.asker,
  asked: shape.asked,
  subject: z.string().optional(),
  content: shape.content,
  created_at: shape.created_at,
  expires: shape.expires,
  state: z.enum(['open', 'answered', 'expired']),
  room: shape.room,
  about: shape.about,
  answer: z
    .object({
      id: z.string(),
      author: z.string(),
      decision: z.enum(['approved', 'denied', 'replied']),
      content: z.string(),
      created_at: z.number(),
    })
    .optional(),
  event: shape.event,
  grant: z.object({ before: z.unknown(), after: z.unknown(), unsigned: z.unknown() }).optional(),
  grant_error: z.string().optional(),
  options: shape.options,
  selection: shape.selection,
  freeform: shape.freeform,
  interaction: shape.interaction,
});
export type RelayItem = z.infer<typeof relayItem>;

/** The view; what this desktop knows beyond the relay (`from`, outcome, reason) is kept from `known`. */
export function viewOf(item: RelayItem, known: ApprovalView | undefined): ApprovalView {
  const action = actionOf(item);
  const { subject = '', grant, grant_error, answer, state, ...rest } = action ? stillAsked(item) : item;
  const root = rootReference(item.event);
  const job = tagValue(item.event, 'job');
  const view: ApprovalView = {
    ...rest,
    subject,
    state,
    complete: isComplete(item, action),
    ...(root === undefined ? {} : { root }),
    ...(isHex64(job) ? { job } : {}),
    ...(action === undefined ? {} : { action }),
    ...(answer === undefined ? {} : { answer: withOrigin(answer, known) }),
    ...(grant === undefined ? {} : { grant: reviewOf(grant) }),
    ...(grant_error === undefined || grant_error === '' ? {} : { grantError: grant_error }),
    ...(state === 'expired' ? { reason: grant_error || 'Nobody answered in time' } : {}),
    ...(known?.outcome === undefined ? {} : { outcome: known.outcome }),
    ...(known?.again === undefined ? {} : { again: known.again }),
  };
  return approvalView.parse(view);
}

/** A runner waits for a yes or a no: words alone leave its prompt open for as long as it runs. */
function stillAsked(item: RelayItem): RelayItem {
  if (item.answer?.decision !== 'replied') return item;
  const { answer: _, ...rest } = item;
  const over = item.expires !== undefined && item.expires * 1000 <= Date.now();
  return { ...rest, state: over ? 'expired' : 'open' };
}

function withOrigin(
  answer: NonNullable<RelayItem['answer']>,
  known: ApprovalView | undefined,
): NonNullable<ApprovalView['answer']> {
  if (known?.answer?.id !== answer.id) return answer;
  const { from, rule } = known.answer;
  return { ...answer, ...(from === undefined ? {} : { from }), ...(rule === undefined ? {} : { rule }) };
}

function reviewOf(grant: NonNullable<RelayItem['grant']>): NonNullable<ApprovalView['grant']> {
  const unsigned = approvalView.shape.grant.unwrap().shape.unsigned.parse(grant.unsigned);
  return { before: grantView(grant.before), after: grantView(grant.after), unsigned };
}

function actionOf(item: RelayItem): ApprovalView['action'] {
  const prompt = parsePermissionPrompt(item.event);
  if (prompt === null) return undefined;
  const [diff, second] = prompt.diffs;
  return {
    why: prompt.why,
    text: prompt.text,
    ...(prompt.folder === undefined ? {} : { folder: prompt.folder }),
    ...(prompt.tool === undefined ? {} : { tool: prompt.tool }),
    // One diff is shown as one; several stand whole in the text.
    ...(diff && !second ? { diff: { path: diff.path, before: diff.before, after: diff.after } } : {}),
  };
}

/** Whether everything that an approval would allow is there to be read. */
function isComplete(item: RelayItem, action: ApprovalView['action']): boolean {
  if (item.type === 'grant') return item.grant !== undefined && !item.grant_error;
  if (action !== undefined) return true;
  // A runner names the tool: a prompt that says so and does not hold together was cut on its way.
  if (tagValue(item.event, 'tool') !== undefined) return false;
  return item.content.trim() !== '' || (item.subject ?? '').trim() !== '' || item.about !== undefined;
}
