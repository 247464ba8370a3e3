// A job in words: what it is called, how it stands, what it made. Pure.

import type { JobAnswer, JobView } from '../../main/contract/jobs.ts';
import type { StateName } from '../parts/states.ts';

/** Its subject, or the first line of its text. */
export function jobTitle(job: JobView): string {
  if (job.subject) return job.subject;
  const line = job.content.split('\n').find(text => text.trim() !== '');
  return line?.trim().slice(0, 120) ?? 'Job without a text';
}

/** Its state for the mark: an open job that a person holds up is waiting, not running. */
export function jobState(job: JobView, waits: boolean): StateName {
  return waits && job.state === 'open' ? 'waiting' : job.status;
}

/** When it ended, in milliseconds; undefined while it is open. */
export function jobEnd(job: JobView): number | undefined {
  if (job.state === 'open') return undefined;
  const ends = [
    job.state === 'done' ? job.result?.created_at : undefined,
    job.state === 'failed' ? job.error?.created_at : undefined,
    job.state === 'cancelled' ? job.cancelled_at : undefined,
  ];
  const end = ends.find(at => at !== undefined);
  return end === undefined ? undefined : end * 1000;
}

/** The line under its title: the newest progress, or how it ended. */
export function jobLine(job: JobView): string {
  if (job.state === 'failed') return job.error?.content || 'It failed without saying why.';
  if (job.state === 'cancelled') return 'Cancelled.';
  if (job.state === 'done') return plainLine(job.result?.content ?? '');
  if (job.status === 'queued') return 'Nobody has taken it on yet.';
  return job.progress?.content ?? '';
}

/** The first line of a Markdown text without its signs, for places that show one line. */
export function plainLine(text: string): string {
  const line = text.split('\n').find(one => one.trim() !== '') ?? '';
  return line
    .replace(/^\s*(?:#{1,6}|[-*+>]|\d+[.)])\s+/, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/(\*\*|__|`)(.+?)\1/g, '$2')
    .trim();
}

const STEPS: Record<number, string> = {
  43001: 'asked',
  43002: 'accepted',
  43003: 'progress',
  43004: 'result',
  43005: 'cancelled',
  43006: 'failed',
};

/** What a step of a job is called. */
export function stepWord(kind: number): string {
  return STEPS[kind] ?? `kind ${kind}`;
}

type Artifact = NonNullable<JobAnswer['artifacts']>[number];

/** Where an artifact leads: only web addresses leave the dashboard, and only http ones are links at all. */
export function artifactLink(artifact: Artifact): string | undefined {
  return artifact.type === 'r' && /^https?:\/\//i.test(artifact.value) ? artifact.value : undefined;
}

/** What kind of thing an artifact is. */
export function artifactWord(artifact: Artifact): string {
  if (artifact.type === 'r') return 'link';
  return artifact.type === 'e' ? 'event' : 'page';
}
