import { expect, test } from 'vitest';
import { approvalBanner, excerpt, jobBanner, messageBanner, relayBanner } from '../../main/banners.ts';
import type { ApprovalView } from '../../main/contract/approvals.ts';
import type { JobView } from '../../main/contract/jobs.ts';
import { trayModel } from '../../main/tray-model.ts';
import type { NostrEvent } from '../../relay/protocol/event.ts';

const OWNER = 'a'.repeat(64);
const SCRIBE = 'b'.repeat(64);
const ID = 'c'.repeat(64);
const names = { owner: OWNER, nameOf: () => 'Scribe' };

function event(kind: number, tags: string[][], content = 'Shall I?'): NostrEvent {
  return { id: ID, pubkey: SCRIBE, created_at: 1, kind, tags, content, sig: '' };
}
function approval(tags: string[][], more: Partial<ApprovalView> = {}): ApprovalView {
  const base = { id: ID, kind: 9, type: 'approve' as const, asker: SCRIBE, asked: [OWNER], subject: '' };
  return {
    ...base,
    content: 'Shall I?',
    created_at: 1,
    state: 'open',
    complete: true,
    event: event(9, tags),
    ...more,
  };
}

test('a request has the buttons that can answer it, and no Approve when it is not whole', () => {
  const actions = (view: ApprovalView) => approvalBanner(view, names)?.actions.map(each => each.action);
  expect(actions(approval([]))).toEqual(['approve', 'deny', 'reply']);
  expect(actions(approval([], { complete: false }))).toEqual(['deny', 'reply']);
  expect(actions(approval([], { type: 'question' }))).toEqual(['reply']);
  expect(actions(approval([], { type: 'grant' }))).toEqual([]);
});

test('a native card wakes only whom it mentions', () => {
  expect(approvalBanner(approval([['tinyagent', '1']]), names)).toBe(null);
  expect(
    approvalBanner(
      approval([
        ['tinyagent', '1'],
        ['mention', OWNER],
      ]),
      names,
    )?.approval,
  ).toBe(ID);
});

test('a message raises a banner when it names the person, as a reply when it answers them', () => {
  const mentioned = event(9, [
    ['h', 'general'],
    ['p', OWNER],
  ]);
  expect(messageBanner(mentioned, names, () => false)).toMatchObject({
    category: 'mentions',
    address: '#/rooms/general',
  });
  const reply = event(9, [
    ['h', 'general'],
    ['p', OWNER],
    ['e', ID, '', 'root'],
  ]);
  expect(messageBanner(reply, names, () => true)).toMatchObject({
    category: 'replies',
    address: `#/rooms/general/${ID}`,
  });
  expect(messageBanner(event(9, [['h', 'general']]), names, () => true)).toBe(null);
  expect(
    messageBanner(
      event(9, [
        ['h', 'general'],
        ['p', OWNER],
        ['request', 'approve'],
      ]),
      names,
      () => true,
    ),
  ).toBe(null);
});

test('the end of a task wakes who asked for it, and nobody who asked themselves', () => {
  const job = { id: ID, requester: OWNER, subject: 'Summary' } as JobView;
  expect(jobBanner(job, event(43004, []), names)?.title).toBe('task Summary done');
  expect(jobBanner(job, event(43006, []), names)?.title).toBe('task Summary failed');
  expect(jobBanner({ ...job, subject: '' }, event(43004, []), names)?.title).toBe('task cccccccc done');
  expect(jobBanner(job, event(43003, []), names)).toBe(null);
  expect(jobBanner({ ...job, requester: SCRIBE }, event(43004, []), names)).toBe(null);
});

test('A1 a relay that is given up on is told, one that is started again is not', () => {
  expect(relayBanner({ state: 'suspended', since: 0, reason: 'port in use' })?.body).toBe('port in use');
  expect(relayBanner({ state: 'backing-off', since: 0 })).toBe(null);
});

test('an excerpt is one line of at most 120 bytes, never half a character', () => {
  expect(excerpt('  one\n\n two  ')).toBe('one two');
  const cut = excerpt('é'.repeat(100));
  expect(cut).toBe(`${'é'.repeat(60)}…`);
});

test('the tray says what waits before what works', () => {
  expect(trayModel([], []).state).toBe('idle');
  const waiting = trayModel([approval([]), approval([])], []);
  expect(waiting).toMatchObject({ state: 'waiting', tooltip: '2 requests wait' });
  expect(waiting.waiting[0]).toEqual({ id: ID, title: 'Shall I?', whole: 'Shall I?' });
});
