// What a tool of the MCP endpoint is (spec/mcp-tools.md section 2): when it is open to a caller, what it takes, what it
// does. Answers are those of the management endpoint: a result, or a refusal `prefix: text`.

import { z } from 'zod';
import type { Refusal, RelayContext } from '../context.ts';
import type { Answer, Caller } from '../management/method.ts';

/** `read` changes nothing, `change` changes the relay, `write` builds an event and publishes it once it is signed. */
export type ToolNature = 'read' | 'change' | 'write';

export type Tool = {
  name: string;
  title: string;
  description: string;
  nature: ToolNature;
  /** JSON Schema of the arguments, an object. */
  inputSchema: Record<string, unknown>;
  /** Why the tool does not work for that caller now, or null. A tool that does not work is not listed. */
  closed(context: RelayContext, caller: Caller): Refusal | null;
  /** `input` is unchecked. Call only when the tool is open. */
  run(context: RelayContext, caller: Caller, input: Record<string, unknown>): Answer | Promise<Answer>;
};

/** The JSON Schema a client is shown. */
export function schemaOf(fields: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(fields, { io: 'input' });
  return schema;
}

/** The first thing wrong with the arguments, for the model to mend. */
export function argumentRefusal(error: z.ZodError): Refusal {
  const issue = error.issues[0];
  const path = issue?.path.join('.') ?? '';
  const text = issue?.message ?? 'bad arguments';
  return `invalid: ${path === '' || text.startsWith(path) ? text : `argument ${path}: ${text}`}`;
}
