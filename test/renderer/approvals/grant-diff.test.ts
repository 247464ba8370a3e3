import { expect, test } from 'vitest';
import type { GrantView } from '../../../main/contract/agents.ts';
import { grantDiff } from '../../../renderer/approvals/grant-diff.ts';

const grant = (scope: Partial<GrantView['scope']>): GrantView => ({
  event: 'e'.repeat(64),
  owner: 'a'.repeat(64),
  name: 'Scribe',
  expires: 1_900_000_000,
  paused: false,
  revoked: 0,
  scope: { kinds: [9], rooms: ['general'], repos: [], rate: 60, ...scope },
  words: [],
});

test('what is new, gone and the same stands on its own side, field by field', () => {
  const before = grant({ jobs: 'serve', sites: [{ label: '*', ttl: 7 }] });
  const after = grant({ kinds: [9, 7], rooms: ['general', 'lab'], jobs: 'both', sites: [{ label: '*' }] });
  const rows = Object.fromEntries(grantDiff(before, after).map(row => [row.field, row]));
  expect(rows.Kinds?.after).toEqual([
    { text: 'reactions (7)', mark: 'added' },
    { text: 'room messages (9)', mark: 'same' },
  ]);
  expect(rows.Rooms?.before).toEqual([{ text: '#general', mark: 'same' }]);
  expect(rows['Long tasks']).toMatchObject({
    before: [{ text: 'answers', mark: 'removed' }],
    after: [{ text: 'asks and answers', mark: 'added' }],
  });
  expect(rows.Sites?.before).toEqual([{ text: 'every site of its own, for 7 days', mark: 'removed' }]);
  expect(
    Object.values(rows)
      .filter(row => !row.differs)
      .map(row => row.field),
  ).toEqual(['Name', 'Repositories', 'Wiki', 'Rate', 'Expires']);
});
