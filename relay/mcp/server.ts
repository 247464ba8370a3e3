// One MCP server for one request of one caller (spec/mcp-acp.md B1): tools/list and tools/call over the table of tools.

import {
  type CallToolResult,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import project from '../../package.json' with { type: 'json' };
import type { RelayContext } from '../context.ts';
import type { Answer, Caller } from '../management/method.ts';
import type { Tool, ToolNature } from './tool.ts';
import { toolNamed, toolsFor } from './tools.ts';

/** How long a client may keep a list: what a caller may do changes with its grant. */
const LIST_TTL = 60_000;

const INSTRUCTIONS = [
  'A private Nostr relay. Read tools answer what your key may see.',
  'The relay never signs for you: a write tool answers an unsigned event; sign it with your key and call the tool again',
  'with the same arguments and the signed event as `event`.',
].join(' ');

/** Ready to be connected; it registers everything that caller may use. */
export function mcpServer(context: RelayContext, caller: Caller): McpServer {
  const hint = { ttlMs: LIST_TTL, cacheScope: 'private' } as const;
  const mcp = new McpServer(
    { name: project.name, version: project.version },
    {
      capabilities: { tools: { listChanged: false } },
      instructions: INSTRUCTIONS,
      cacheHints: { 'tools/list': hint, 'server/discover': hint },
    },
  );
  // Not registerTool: a tool that is shut for this caller still says why, and the schemas are made once.
  mcp.server.setRequestHandler('tools/list', () => ({ tools: toolsFor(context, caller).map(shown) }));
  mcp.server.setRequestHandler('tools/call', ({ params }) =>
    callTool(context, caller, params.name, params.arguments ?? {}),
  );
  return mcp;
}

const HINTS: Record<ToolNature, { readOnlyHint: boolean; destructiveHint?: boolean }> = {
  read: { readOnlyHint: true },
  change: { readOnlyHint: false, destructiveHint: true },
  write: { readOnlyHint: false, destructiveHint: false },
};

function shown({ name, title, description, inputSchema, nature }: Tool) {
  const annotations = { title, ...HINTS[nature], openWorldHint: false };
  return { name, title, description, inputSchema: inputSchema as { type: 'object' }, annotations };
}

async function callTool(
  context: RelayContext,
  caller: Caller,
  name: string,
  input: Record<string, unknown>,
): Promise<CallToolResult> {
  const tool = toolNamed(name);
  if (tool === undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 128)}`);
  }
  const refusal = tool.closed(context, caller);
  if (refusal !== null) return resultOf({ refusal });
  try {
    return resultOf(await tool.run(context, caller, input));
  } catch (error) {
    // The text of a fault of ours is for the log alone.
    context.log.error({ tool: name, error: String(error) }, 'A tool failed');
    return resultOf({ refusal: 'error: the relay could not answer' });
  }
}

function resultOf(answer: Answer): CallToolResult {
  if ('refusal' in answer) return { content: [{ type: 'text', text: answer.refusal }], isError: true };
  const structuredContent = answer.result as Record<string, unknown>;
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}
