// `tinyagent mcp`: the relay's tools for an MCP host on stdin and stdout (spec/mcp-tools.md section 4). Nothing but the
// protocol goes to stdout.

import { Facade } from './mcp-facade.ts';
import { serveMcp } from './mcp-stdio.ts';
import { offeredTools } from './mcp-tools.ts';
import type { ConnectorContext } from './methods.ts';

export type McpFlags = { tools?: string; allowWrites?: boolean };

/** The tools the flags ask for; throws, naming the first that cannot be. */
export function offeredBy({ tools, allowWrites = false }: McpFlags): Set<string> {
  if (tools === undefined) return offeredTools({ writes: allowWrites });
  const only = tools
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '');
  return offeredTools({ only, writes: allowWrites });
}

/** Serves until stdin ends. */
export async function mcp(context: ConnectorContext, offered: ReadonlySet<string>): Promise<void> {
  const warn = (text: string) => process.stderr.write(`tinyagent: ${text}\n`);
  const facade = new Facade({ ...context, offered, warn });
  await serveMcp(facade, process.stdin, process.stdout);
}
