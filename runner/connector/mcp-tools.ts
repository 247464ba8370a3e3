// Which tools of the relay are handed on, and which kinds each may have signed (spec/mcp-tools.md section 4). This table
// is the boundary: what is not in it is neither offered nor signed, whatever the relay says.

import { KIND } from '../../relay/protocol/kinds.ts';

export const DIAGNOSE = 'tiny_diagnose';

/** Read tools offered without being asked for. */
const READS: readonly string[] = [
  'list_repositories',
  'read_repository',
  'list_issues',
  'read_issue',
  'list_pull_requests',
  'read_pull_request',
  'list_files',
  'read_file',
  'read_attachment',
  'read_status',
  'list_rooms',
  'read_room',
  'read_thread',
  'list_wiki',
  'read_wiki_page',
  'list_jobs',
  'read_job',
];

/** Read tools offered by name only. */
const READS_ON_DEMAND: readonly string[] = [
  'read_management',
  'list_agents',
  'list_callbacks',
  'list_join_requests',
  'list_approvals',
  'read_approval',
  'read_merge_request',
];

/** Write tools and the kinds of the events they publish; a tool without kinds has nothing signed. */
const WRITES: Readonly<Record<string, readonly number[]>> = {
  create_issue: [KIND.issue],
  create_pull_request: [KIND.pullRequest],
  comment: [KIND.comment],
  post_message: [KIND.chat],
  start_thread: [KIND.thread],
  reply_in_thread: [KIND.threadReply],
  react: [KIND.reaction],
  publish_wiki_page: [KIND.wikiPage],
  propose_wiki_merge: [KIND.wikiMerge],
  upload_attachment: [],
  request_decision: [KIND.chat, KIND.comment],
  request_grant: [KIND.comment],
  request_job: [KIND.jobRequest],
  accept_job: [KIND.jobAccepted],
  job_progress: [KIND.jobProgress],
  job_result: [KIND.jobResult],
  job_error: [KIND.jobError],
  cancel_job: [KIND.jobCancel],
};

/** Sign-ins, proofs and grants: a signature on one of these gives power away. */
const NEVER_SIGNED: readonly number[] = [KIND.auth, KIND.blobAuth, KIND.httpAuth, KIND.agentGrant];

/** The tools to hand on. Throws, naming it, for a tool that is not known or that writes without leave. */
export function offeredTools(options: { only?: readonly string[]; writes: boolean }): Set<string> {
  const { only, writes } = options;
  if (only === undefined) return new Set([...READS, ...(writes ? Object.keys(WRITES) : [])]);
  const offered = new Set<string>();
  for (const name of only) {
    if (name === DIAGNOSE) continue;
    const writing = isWrite(name);
    if (writing && !writes) throw new Error(`--tools: ${name} writes; add --allow-writes`);
    if (!writing && !READS.includes(name) && !READS_ON_DEMAND.includes(name)) {
      throw new Error(`--tools: there is no tool ${name}`);
    }
    offered.add(name);
  }
  return offered;
}

export function isWrite(tool: string): boolean {
  return Object.hasOwn(WRITES, tool);
}

/** May an event of that kind be signed for that tool? */
export function maySign(tool: string, kind: number): boolean {
  const kinds = isWrite(tool) ? WRITES[tool] : undefined;
  return kinds?.includes(kind) === true && !NEVER_SIGNED.includes(kind);
}
