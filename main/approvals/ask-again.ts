// "Ask again" on a request that expired or was withdrawn (cases D12 D16): the work it belonged to is asked for once
// more, as the person; without any, its agent is asked in the room to put its question again.

import type { NostrEvent } from '../../relay/protocol/event.ts';
import { KIND } from '../../relay/protocol/kinds.ts';
import { tagValue } from '../../relay/protocol/tags.ts';
import { CallFailure } from '../bridge.ts';
import type { ApprovalView } from '../contract/approvals.ts';
import type { Draft, RelayLink } from '../relay-link.ts';
import { messageDraft } from '../rooms/room-drafts.ts';

export type Again = NonNullable<ApprovalView['again']>;

/** Asks again. Throws CallFailure `conflict` while there is nothing to repeat. */
export async function askAgain(link: RelayLink, view: ApprovalView): Promise<Again> {
  if (view.state !== 'expired' && view.state !== 'withdrawn') {
    throw new CallFailure('conflict', 'Only a request that expired or was withdrawn is asked again.');
  }
  if (view.job !== undefined) return { event: await repeatJob(link, view, view.job), job: true };
  if (view.room === undefined || view.state === 'withdrawn') {
    throw new CallFailure('conflict', 'There is no job behind this request that could be run again.');
  }
  const content = `"${view.subject || 'Your request'}" expired before I answered it. Please ask me again.`;
  const message = { content, mentions: [view.asker], root: view.root ?? view.id, parent: view.id };
  return { event: (await link.publish(messageDraft(view.room, message))).id, job: false };
}

async function repeatJob(link: RelayLink, view: ApprovalView, job: string): Promise<string> {
  const { item } = await link.call<{ item: { state: string; event: NostrEvent } }>('browsejob', { id: job });
  if (item.state === 'open') {
    throw new CallFailure('conflict', 'Its job is still under way; the agent asks by itself when it must.');
  }
  return (await link.publish(await jobDraft(link, item.event, view.asker))).id;
}

/** The same work as a request of the person: what was said stands in the mentions when the agent made the job. */
async function jobDraft(link: RelayLink, job: NostrEvent, agent: string): Promise<Draft> {
  const mentioned = job.tags.filter(tag => tag[0] === 'e' && tag[3] === 'mention').map(tag => tag[1] ?? '');
  const said = mentioned.length === 0 ? [] : await link.query([{ ids: mentioned }]);
  const words = said.sort((a, b) => a.created_at - b.created_at).map(event => event.content);
  const root = job.tags.find(tag => tag[0] === 'e' && tag[3] === 'root');
  const subject = tagValue(job, 'subject');
  const tags = [
    ['h', tagValue(job, 'h') ?? ''],
    ['p', agent],
    ...(subject === undefined ? [] : [['subject', subject]]),
    ...(root === undefined ? [] : [root]),
  ];
  return { kind: KIND.jobRequest, tags, content: words.length === 0 ? job.content : words.join('\n\n') };
}
