// Long tasks across rooms (kinds 43001 to 43006): read through browsejobs, asked for and cancelled as the owner, and
// ended at the runner when an agent asked itself.

import { z } from 'zod';
import type { NostrEvent } from '../relay/protocol/event.ts';
import { JOB_KINDS, KIND } from '../relay/protocol/kinds.ts';
import { tagValue } from '../relay/protocol/tags.ts';
import type { Agents } from './agents.ts';
import { CallFailure } from './bridge.ts';
import { coalesce } from './coalesce.ts';
import type { Handlers } from './contract/features.ts';
import { type JobView, jobAnswer, jobView } from './contract/jobs.ts';
import { Askers } from './jobs/askers.ts';
import type { Live } from './live.ts';
import type { Push } from './push.ts';
import type { RelayLink } from './relay-link.ts';

export type JobsParts = {
  link: RelayLink;
  live: Live;
  push: Push;
  agents: Pick<Agents, 'handlers' | 'serving'>;
  failed(error: unknown): void;
};

export type Jobs = {
  handlers: Handlers<'jobs'>;
  /** Told of each job that changed, with the event that changed it. */
  onChange(listener: (job: JobView, event: NostrEvent) => void): () => void;
  close(): void;
};

const page = z.object({ items: z.array(jobView), next_cursor: z.string() });
const detail = z.object({ item: jobView, answers: z.array(jobAnswer) });
const PAGE = 100;
/** Pages of the relay read to fill one filtered page of ours. */
const MOST_PAGES = 10;

const SETTLE_MS = 2_000;
const ENDINGS: readonly number[] = [KIND.jobResult, KIND.jobCancel, KIND.jobError];

/** Listens for the event that ends a job. */
function endOf(live: Live, id: string): { within(ms: number): Promise<void>; forget(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const forget = live.on(ENDINGS, event => {
    if (tagValue(event, 'e') === id) resolve();
  });
  const within = (ms: number) => {
    const timer = setTimeout(resolve, ms);
    return promise.finally(() => clearTimeout(timer));
  };
  return { within, forget };
}

/** Opens the feature. */
export function createJobs(parts: JobsParts): Jobs {
  const { link, live, push, agents } = parts;
  const listeners = new Set<(job: JobView, event: NostrEvent) => void>();
  const touched = new Map<string, NostrEvent>();
  const askers = new Askers(link);
  const read = async (id: string) => {
    const { item, answers } = detail.parse(await link.call('browsejob', { id }));
    const [named = item] = await askers.named([item]);
    return { item: named, answers };
  };

  // Progress comes in bursts: each job is read once for all of it.
  const tell = coalesce(
    40,
    async () => {
      const batch = [...touched];
      touched.clear();
      for (const [id, event] of batch) {
        const job = await read(id).catch(() => null);
        // Expired or deleted meanwhile: there is nothing to show.
        if (!job) continue;
        push('jobs.changed', job.item);
        for (const listener of listeners) listener(job.item, event);
      }
    },
    parts.failed,
  );
  const stop = live.on(JOB_KINDS, event => {
    const id = event.kind === KIND.jobRequest ? event.id : tagValue(event, 'e');
    if (id === undefined) return;
    touched.set(id, event);
    tell.ask();
  });

  const handlers: Handlers<'jobs'> = {
    async list({ state, room, agent, cursor }) {
      const wanted = (job: JobView) =>
        (room === undefined || job.room === room) &&
        (agent === undefined || job.assignees.includes(agent) || job.requester === agent);
      const items: JobView[] = [];
      let next = cursor ?? '';
      for (let read = 0; read < MOST_PAGES && items.length < PAGE; read += 1) {
        const params = { state, limit: PAGE, ...(next === '' ? {} : { cursor: next }) };
        const answer = page.parse(await link.call('browsejobs', params));
        items.push(...answer.items.filter(wanted));
        next = answer.next_cursor;
        if (next === '') break;
      }
      return { items: await askers.named(items), next_cursor: next };
    },
    async get({ id }) {
      const { item, answers } = await read(id);
      // Within one second the relay orders by id; the kinds are numbered in the order of a job's life.
      return { item, answers: answers.sort((a, b) => a.created_at - b.created_at || a.kind - b.kind) };
    },
    async request({ room, assignees, subject, content, root }) {
      if (subject.trim() === '' && content.trim() === '') {
        const message = 'Write what is to be done.';
        throw new CallFailure('invalid', message, { fields: { content: message } });
      }
      const tags = [['h', room], ...[...new Set(assignees)].map(pubkey => ['p', pubkey])];
      if (subject.trim() !== '') tags.push(['subject', subject.trim()]);
      if (root !== undefined) tags.push(['e', root, '', 'root']);
      const event = await link.publish({ kind: KIND.jobRequest, tags, content });
      return (await read(event.id)).item;
    },
    async cancel({ id }) {
      const { item } = await read(id);
      if (item.state !== 'open') {
        throw new CallFailure('conflict', `The job has ended already: it is ${item.state}.`);
      }
      if (item.requester === link.owner) {
        await link.publish({
          kind: KIND.jobCancel,
          tags: [
            ['h', item.room],
            ['e', id],
          ],
          content: '',
        });
        return (await read(id)).item;
      }
      const pubkey = agents.serving(id) ?? item.assignees.find(key => key === item.requester);
      if (pubkey === undefined) {
        throw new CallFailure('conflict', 'Only the one who asked for this job can cancel it.');
      }
      const ended = endOf(live, id);
      try {
        await agents.handlers.cancel({ pubkey, run: id }, { page: '' });
        // The runner has ended the work; its word to the relay may still be on the way.
        if ((await read(id)).item.state === 'open') await ended.within(SETTLE_MS);
      } finally {
        ended.forget();
      }
      return (await read(id)).item;
    },
  };

  return {
    handlers,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      tell.close();
      stop();
    },
  };
}
