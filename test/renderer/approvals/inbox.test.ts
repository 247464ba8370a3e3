import { expect, test } from 'vitest';
import type { ApprovalView } from '../../../main/contract/approvals.ts';
import {
  inbox,
  matching,
  neighbour,
  offerOf,
  outcomeOf,
  settledAt,
  stateAt,
  titleOf,
  withChanged,
} from '../../../renderer/approvals/inbox.ts';

const NOW = 1_800_000_000;
const hex = (n: number) => n.toString(16).padStart(64, '0');

function request(n: number, over: Partial<ApprovalView> = {}): ApprovalView {
  return {
    id: hex(n),
    kind: 9,
    type: 'approve',
    asker: hex(900),
    asked: [hex(1)],
    subject: `Request ${n}`,
    content: 'text',
    created_at: NOW - n,
    state: 'open',
    complete: true,
    event: { id: hex(n), pubkey: hex(900), created_at: NOW - n, kind: 9, tags: [], content: 'text', sig: '' },
    ...over,
  };
}

const answer = (at: number): NonNullable<ApprovalView['answer']> => ({
  id: hex(77),
  author: hex(1),
  decision: 'approved',
  content: '+',
  created_at: at,
});

test('what waits is newest first, history by when it was settled', () => {
  const { waiting, history } = inbox(
    [
      request(30),
      request(10),
      request(20, { state: 'answered', answer: answer(NOW - 5) }),
      request(5, { state: 'answered', answer: answer(NOW - 3) }),
      request(40, { expires: NOW - 1 }),
    ],
    NOW,
  );
  expect(waiting.map(item => item.subject)).toEqual(['Request 10', 'Request 30']);
  expect(history.map(item => item.subject)).toEqual(['Request 40', 'Request 5', 'Request 20']);
});

test('an open request past its end reads expired and offers nothing', () => {
  const item = request(1, { expires: NOW });
  expect(stateAt(item, NOW)).toBe('expired');
  expect(offerOf(item, NOW)).toMatchObject({ approve: false, deny: false, reply: false, form: false });
});

test('D5 no Approve for an action that is not whole, with the reason; Deny stays', () => {
  const offer = offerOf(request(1, { complete: false }), NOW);
  expect(offer).toMatchObject({ approve: false, deny: true, reply: true });
  expect(offer.withheld).toContain('whole action');
});

test('a question asks for words, a native card for its form', () => {
  expect(offerOf(request(1, { type: 'question' }), NOW)).toMatchObject({ approve: false, reply: true });
  expect(offerOf(request(1, { selection: 'single', options: [] }), NOW)).toMatchObject({
    form: true,
    deny: false,
  });
});

test('a request for more access that went stale cannot be approved', () => {
  const offer = offerOf(request(1, { type: 'grant', grantError: 'The grant changed since.' }), NOW);
  expect(offer).toMatchObject({ approve: false, deny: true, withheld: 'The grant changed since.' });
});

test('a request without a subject is named by its first line, cut by characters', () => {
  expect(titleOf(request(1, { subject: ' ', content: '\n  Run the tests\nmore' }))).toBe('Run the tests');
  expect([...titleOf(request(1, { subject: '', content: '\u{1F600}'.repeat(300) }))]).toHaveLength(120);
});

test('a withdrawn request is never dated in the future, and says its end once', () => {
  const withdrawn = request(5, {
    state: 'withdrawn',
    expires: NOW + 500,
    reason: 'The run ended',
    outcome: 'The run ended',
  });
  expect(settledAt(withdrawn)).toBe(NOW - 5);
  expect(outcomeOf(withdrawn)).toBeNull();
  expect(outcomeOf({ outcome: 'wrote a.md' })).toBe('wrote a.md');
});

test('J and K walk the list and stop at its ends', () => {
  const ids = ['a', 'b', 'c'];
  expect(neighbour(ids, null, 1)).toBe('a');
  expect(neighbour(ids, 'a', 1)).toBe('b');
  expect(neighbour(ids, 'c', 1)).toBeNull();
  expect(neighbour(ids, 'a', -1)).toBeNull();
  expect(neighbour([], null, 1)).toBeNull();
});

test('a change replaces its item and a new one joins', () => {
  const items = [request(1), request(2)];
  expect(withChanged(items, request(2, { state: 'withdrawn' }))[1]?.state).toBe('withdrawn');
  expect(withChanged(items, request(3))).toHaveLength(3);
});

test('requests that match are of the same agent, type and kind of tool, and may be answered by a plain yes', () => {
  const action = (tool: string) => ({ why: '', text: 'x', tool });
  const one = request(1, { action: action('edit') });
  const same = request(2, { action: action('edit') });
  const others = [
    request(3, { action: action('execute') }),
    request(4, { action: action('edit'), asker: hex(901) }),
    request(5, { action: action('edit'), state: 'answered' }),
    request(6, { action: action('edit'), complete: false }),
    request(7, { type: 'decide', action: action('edit') }),
    request(8),
  ];
  expect(matching([one, same, ...others], one, NOW)).toEqual([same]);
  expect(matching([one, same], request(9, { type: 'question' }), NOW)).toEqual([]);
});
