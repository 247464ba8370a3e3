import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApprovalStore } from '../../../main/approvals/approval-store.ts';
import { type RelayItem, viewOf } from '../../../main/approvals/approval-view.ts';
import type { ApprovalView } from '../../../main/contract/approvals.ts';
import { permissionContent } from '../../../relay/protocol/permission-prompt.ts';
import { scratch } from '../supervise/family.ts';

const ASKER = 'a'.repeat(64);
const OWNER = 'b'.repeat(64);
let folder: string;
let changes: [string, string | undefined][];
let told: (() => void) | null;
const stores: ApprovalStore[] = [];
beforeEach(() => {
  folder = scratch();
  changes = [];
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  rmSync(folder, { recursive: true });
});

function open(): ApprovalStore {
  const store = new ApprovalStore({
    file: join(folder, 'approvals.json'),
    changed: (view, before) => {
      changes.push([view.state, before?.state]);
      told?.();
    },
    expired() {},
    failed(error) {
      throw error;
    },
  });
  stores.push(store);
  return store;
}

const id = (letter: string) => letter.repeat(64);
function item(letter: string, more: Partial<RelayItem> = {}): RelayItem {
  const tags = [
    ['request', 'approve'],
    ['p', OWNER],
    ['h', 'general'],
  ];
  const event = {
    id: id(letter),
    pubkey: ASKER,
    created_at: 100,
    kind: 9,
    tags,
    content: 'Go on?',
    sig: 'f'.repeat(128),
  };
  const { created_at, kind, content } = event;
  return {
    id: event.id,
    kind,
    type: 'approve',
    asker: ASKER,
    asked: [OWNER],
    content,
    created_at,
    state: 'open',
    event,
    ...more,
  };
}
const view = (letter: string, more: Partial<ApprovalView> = {}): ApprovalView => ({
  ...viewOf(item(letter), undefined),
  ...more,
});

test('D12 a withdrawn request stays in the history over a restart', async () => {
  const store = open();
  store.put(view('1'));
  store.put(view('1', { state: 'withdrawn', reason: 'its run ended' }));
  await store.close();
  expect(open().page('all', undefined, 10).items).toMatchObject([
    { state: 'withdrawn', reason: 'its run ended' },
  ]);
  expect(JSON.parse(readFileSync(join(folder, 'approvals.json'), 'utf8')).length).toBe(1);
});

test('F-55 what is settled never opens again, whatever picture comes late', () => {
  const store = open();
  store.put(view('1'));
  store.put(view('1', { state: 'withdrawn' }));
  store.put(view('1'));
  expect(store.get(id('1'))?.state).toBe('withdrawn');
  expect(changes).toEqual([
    ['open', undefined],
    ['withdrawn', 'open'],
  ]);
});

test('an open request expires by itself at its time', async () => {
  const store = open();
  const expires = Math.floor(Date.now() / 1000) + 1;
  const expired = new Promise<void>(resolve => {
    told = () => {
      if (store.get(id('1'))?.state === 'expired') resolve();
    };
  });
  store.put(view('1', { expires }));
  store.put(view('2', { expires: expires + 3600 }));
  expect(store.counts()).toEqual({ open: 2, answered: 0, expired: 0 });
  await expired;
  told = null;
  expect(store.counts()).toEqual({ open: 1, answered: 0, expired: 1 });
  expect(store.get(id('1'))?.reason).toBe('Nobody answered in time');
});

test('D7 two requests are two entries, newest first, in pages', () => {
  const store = open();
  for (const [index, letter] of ['1', '2', '3'].entries())
    store.put(view(letter, { created_at: 100 + index }));
  const first = store.page('open', undefined, 2);
  expect(first.items.map(each => each.id)).toEqual([id('3'), id('2')]);
  const second = store.page('open', first.next_cursor, 2);
  expect(second.items.map(each => each.id)).toEqual([id('1')]);
  expect(second.next_cursor).toBe('');
});

test('D5 a prompt is taken apart whole, and one that was cut on its way cannot be approved', () => {
  const action = {
    why: 'May I write this file?',
    title: 'Write notes.md',
    details: [],
    diffs: [{ path: '/work/notes.md', before: 'a\n', after: 'a\nb\n', isNew: false }],
    places: [],
    answers: [],
  };
  const built = permissionContent(action);
  if (!built.ok) throw new Error(built.reason);
  const tags = [
    ['request', 'approve'],
    ['p', OWNER],
    ['h', 'general'],
    ['tool', 'edit'],
    ['folder', '/work'],
  ];
  const prompt = (content: string) => item('1', { content, event: { ...item('1').event, tags, content } });

  const whole = viewOf(prompt(built.content), undefined);
  expect(whole.complete).toBe(true);
  expect(whole.action).toMatchObject({
    why: 'May I write this file?',
    folder: '/work',
    diff: { path: '/work/notes.md', before: 'a\n', after: 'a\nb\n' },
  });

  const cut = viewOf(prompt(built.content.slice(0, -4)), undefined);
  expect(cut.complete).toBe(false);
  expect(cut.action).toBe(undefined);
});
