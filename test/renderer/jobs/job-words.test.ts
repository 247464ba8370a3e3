import { expect, test } from 'vitest';
import type { ApprovalView } from '../../../main/contract/approvals.ts';
import type { JobAnswer } from '../../../main/contract/jobs.ts';
import {
  artifactLink,
  jobEnd,
  jobLine,
  jobState,
  jobTitle,
  plainLine,
} from '../../../renderer/jobs/job-words.ts';
import { waitsFor } from '../../../renderer/jobs/waits.ts';
import { demo, hex, job, robin } from '../rooms/some-events.ts';

function answer(kind: number, content: string, at = 50): JobAnswer {
  return { id: hex(`${kind} ${at}`), kind, provider: demo, content, created_at: at };
}

test('a job is called by its subject, else by its first line', () => {
  expect(jobTitle(job(1, { subject: 'Build' }))).toBe('Build');
  expect(jobTitle(job(1, { content: '\n  Collect it\nall' }))).toBe('Collect it');
  expect(jobTitle(job(1, { content: '' }))).toBe('Job without a text');
});

test('its line is the newest progress or how it ended, without Markdown signs', () => {
  expect(jobLine(job(1))).toBe('Nobody has taken it on yet.');
  expect(jobLine(job(1, { status: 'running', progress: answer(43003, 'half way') }))).toBe('half way');
  const done = job(1, { state: 'done', status: 'done', result: answer(43004, '## **All** of `it`\nmore') });
  expect(jobLine(done)).toBe('All of it');
  expect(plainLine('1. See [the log](https://example.com)')).toBe('See the log');
  expect(jobLine(job(1, { state: 'failed', status: 'failed', error: answer(43006, 'no file') }))).toBe(
    'no file',
  );
});

test('it ends when its ending says, and a late error does not move a result', () => {
  expect(jobEnd(job(1))).toBeUndefined();
  const done = job(1, {
    state: 'done',
    status: 'done',
    result: answer(43004, 'x', 60),
    error: answer(43006, 'y', 55),
  });
  expect(jobEnd(done)).toBe(60_000);
  expect(jobEnd(job(1, { state: 'cancelled', status: 'cancelled', cancelled_at: 70 }))).toBe(70_000);
});

test('a job a person holds up reads waiting, and only while it is open', () => {
  expect(jobState(job(1, { status: 'running' }), true)).toBe('waiting');
  expect(jobState(job(1, { state: 'done', status: 'done' }), true)).toBe('done');
});

test('only web addresses of artifacts are links', () => {
  expect(artifactLink({ type: 'r', value: 'https://example.com' })).toBe('https://example.com');
  expect(artifactLink({ type: 'r', value: 'javascript:alert(1)' })).toBeUndefined();
  expect(artifactLink({ type: 'e', value: hex('e') })).toBeUndefined();
});

test('an open approval of its agent in its thread holds it up', () => {
  const root = hex('root');
  const open = job(1, { root });
  const approval = { id: hex('a'), state: 'open', room: 'general', asker: demo, root } as ApprovalView;
  expect(waitsFor(open, [approval])).toBe(approval.id);
  expect(waitsFor(open, [{ ...approval, state: 'expired' }])).toBeUndefined();
  expect(waitsFor(open, [{ ...approval, asker: robin }])).toBeUndefined();
  expect(waitsFor(open, [{ ...approval, root: hex('other') }])).toBeUndefined();
  expect(waitsFor({ ...open, state: 'done' }, [approval])).toBeUndefined();
});
