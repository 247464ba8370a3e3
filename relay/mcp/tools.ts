// The one table of tools. A tool a caller cannot use is not listed to it; called all the same it answers why.

import type { RelayContext } from '../context.ts';
import type { Caller } from '../management/method.ts';
import { jobTools } from './job-tools.ts';
import { messageTools } from './message-tools.ts';
import { changeTools, readTools } from './method-tools.ts';
import { requestTools } from './request-tools.ts';
import { statusTools } from './status-tools.ts';
import type { Tool } from './tool.ts';
import { publishTool } from './write-tool.ts';

const TOOLS: readonly Tool[] = [
  ...statusTools,
  ...readTools,
  ...changeTools,
  publishTool,
  ...messageTools,
  ...requestTools,
  ...jobTools,
];
const BY_NAME = new Map(TOOLS.map(tool => [tool.name, tool]));

export function toolNamed(name: string): Tool | undefined {
  return BY_NAME.get(name);
}

/** The tools that work for that caller now, always in the same order. */
export function toolsFor(context: RelayContext, caller: Caller): Tool[] {
  return TOOLS.filter(tool => tool.closed(context, caller) === null);
}

/** What the relay offers to those with every role: the features that are off, and methods it does not have, left out. */
export function offeredTools(context: RelayContext): Tool[] {
  const owner: Caller = { pubkey: context.policy().owner, role: 'owner' };
  return TOOLS.filter(tool => tool.name === 'request_grant' || tool.closed(context, owner) === null);
}
