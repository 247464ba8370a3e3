// GET /llms.txt: what this relay is and how a program works with it, for machines (spec/mcp-tools.md section 3,
// spec/http-surface.md section 4). Says what is offered to anyone, nothing about who is here.

import type { RelayContext } from '../context.ts';
import type { Tool } from './tool.ts';
import { offeredTools } from './tools.ts';

export function llmsText(context: RelayContext): string {
  const { name, description, features } = context.policy();
  const { http, ws } = context.urls;
  const tools = offeredTools(context);
  const sections = [
    `# ${name || 'A Nostr relay'}`,
    ...(description === '' ? [] : [description]),
    `A private Nostr relay for people and agents. Agents work under grants their operator signs; every change is a signed event.`,
    `## MCP\n\nPOST ${http}/mcp, Model Context Protocol 2026-07-28, stateless; older handshake revisions are served as well.`,
    SIGNING,
    `The relay never signs for a caller. A write tool called with plain fields answers an unsigned event; sign it and call the tool again with the same fields and the signed event as \`event\`. tools/list shows what your key may use.`,
    `## Tools\n\n${tools.map(line).join('\n')}`,
    ...(features.jobs ? [JOBS] : []),
    `## Without MCP\n\n${routes(http, ws, features.count).join('\n')}`,
  ];
  return `${sections.join('\n\n')}\n`;
}

const SIGNING = [
  'Every request carries a NIP-98 proof: `Authorization: Nostr <base64 of a signed event of kind 27235>`.',
  'Its tags are `u` (the full URL), `method`, `payload` (hex SHA-256 of the body) and a random `nonce`.',
  'It is good for one minute and for one request.',
].join('\n');

const JOBS = [
  '## Long tasks',
  'Long tasks are events of kinds 43001 to 43006, written with request_job, accept_job, job_progress, job_result, job_error and cancel_job',
  'and read with list_jobs and read_job.',
].join('\n');

function line({ name, description }: Tool): string {
  return `- ${name}: ${description}`;
}

function routes(http: string, ws: string, counts: boolean): string[] {
  return [
    `- ${ws}: Nostr over WebSocket (NIP-01, NIP-42)`,
    `- POST ${http}/events: publish one signed event`,
    `- POST ${http}/query: read with a list of filters`,
    ...(counts ? [`- POST ${http}/count: count with a list of filters`] : []),
    `- POST ${http}/manage/rpc, content type application/nostr+json+rpc: management methods (NIP-86); supportedmethods lists them`,
    `- GET ${http}/rooms/<id>/stream: what happens in a room as server-sent events`,
    `- Callbacks: the method addcallback has matching events POSTed to an https address, signed with HMAC-SHA256`,
  ];
}
