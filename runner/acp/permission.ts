// `session/request_permission` between the wire and the run: what the program asks, in our words, and our answer in
// its. The four endings stay apart (spec/decisions.md 11): a person's no chooses the program's own reject option, an
// expired or withdrawn question answers `cancelled`, a refusal by policy is an error that says why; all of them carry
// the ending and the reason in `_meta["tiny/permission"]`.

import {
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import type { PermissionAsk, PermissionOutcome } from '../program.ts';
import { fields, list, mergeTool, type ToolCall, text, textOf } from './updates.ts';

export const PERMISSION_META = 'tiny/permission';

/** The request with what earlier updates said of the same tool call. */
export function readAsk(request: RequestPermissionRequest, known: ToolCall | undefined): PermissionAsk {
  const tool = mergeTool(known, request.toolCall as unknown as Record<string, unknown>);
  const content = tool.content.map(fields);
  const ask: PermissionAsk = {
    toolCallId: request.toolCall.toolCallId,
    title: tool.title || request.toolCall.toolCallId,
    tool: tool.kind,
    details: content
      .filter(entry => entry.type === 'content')
      .map(entry => textOf(entry.content))
      .filter(detail => detail !== ''),
    diffs: content.filter(entry => entry.type === 'diff').map(diffOf),
    places: tool.locations.map(placeOf).filter(place => place !== ''),
    options: list(request.options)
      .map(fields)
      .map(option => ({ id: text(option.optionId), name: text(option.name), kind: text(option.kind) })),
  };
  if (tool.rawInput !== undefined) ask.rawInput = tool.rawInput;
  return ask;
}

/** Our answer on the wire. Throws the error the program is to see for a refusal by policy. */
export function answerAsk(
  ask: Pick<PermissionAsk, 'options'>,
  outcome: PermissionOutcome,
): RequestPermissionResponse {
  const { ending, reason, by, optionId } = outcome;
  const _meta = { [PERMISSION_META]: { ending, reason, ...(by === undefined ? {} : { by }) } };
  if (ending === 'allowed' && optionId !== undefined) {
    return { outcome: { outcome: 'selected', optionId }, _meta };
  }
  const reject = ask.options.find(option => option.kind === 'reject_once');
  if (ending === 'denied' && reject !== undefined) {
    return { outcome: { outcome: 'selected', optionId: reject.id }, _meta };
  }
  // Without an allow-once option nobody is asked: the program's own reject is the plainest answer.
  if (ending === 'refused' && optionId !== undefined) {
    return { outcome: { outcome: 'selected', optionId }, _meta };
  }
  if (ending === 'refused') throw new RequestError(-32602, `Permission not asked: ${reason}`, _meta);
  return { outcome: { outcome: 'cancelled' }, _meta };
}

function diffOf(entry: Record<string, unknown>): PermissionAsk['diffs'][number] {
  const isNew = typeof entry.oldText !== 'string';
  return { path: text(entry.path), before: text(entry.oldText), after: text(entry.newText), isNew };
}

function placeOf(location: unknown): string {
  const { path, line } = fields(location);
  return typeof line === 'number' ? `${text(path)}:${line}` : text(path);
}
