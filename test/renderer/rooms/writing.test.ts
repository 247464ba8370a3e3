import { expect, test } from 'vitest';
import type { Party } from '../../../main/contract/app.ts';
import { draftKey, keepDraft, putBack, readDraft } from '../../../renderer/rooms/drafts.ts';
import { complete, completions, mentionAt } from '../../../renderer/rooms/mentions.ts';
import { roomIdFrom } from '../../../renderer/rooms/room-id.ts';
import { hex } from './some-events.ts';

function party(name: string, agent = false, me = false): Party {
  return { pubkey: hex(name), npub: `npub1${hex(name)}`, name, agent, me };
}

test('a name is being typed behind an @ that begins a word, with at most one space in it', () => {
  expect(mentionAt('hello @de', 9)).toEqual({ at: 6, query: 'de' });
  expect(mentionAt('@', 1)).toEqual({ at: 0, query: '' });
  expect(mentionAt('@Demo ag', 8)).toEqual({ at: 0, query: 'Demo ag' });
  expect(mentionAt('me@example', 10)).toBeUndefined();
  expect(mentionAt('@demo do it now', 15)).toBeUndefined();
  expect(mentionAt('@demo\nx', 7)).toBeUndefined();
});

test('names that begin with it come first, agents before people, oneself never', () => {
  const found = completions(
    [party('Anna Demol'), party('demonstrator'), party('Demo', true), party('demo me', false, true)],
    'de',
  );
  expect(found.map(one => one.name)).toEqual(['Demo', 'demonstrator', 'Anna Demol']);
});

test('the name takes the place of what was typed and the caret stands behind it', () => {
  const typing = mentionAt('ask @de please', 7);
  if (!typing) throw new Error('expected a mention');
  expect(complete('ask @de please', typing, 'Demo agent')).toEqual({
    text: 'ask @Demo agent please',
    caret: 16,
  });
});

test('a draft is kept per room and thread, and an empty one is forgotten', () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  keepDraft(storage, draftKey('general'), 'half a thought');
  keepDraft(storage, draftKey('general', 'root'), 'another');
  expect(readDraft(storage, draftKey('general'))).toBe('half a thought');
  expect(readDraft(storage, draftKey('releases'))).toBe('');
  keepDraft(storage, draftKey('general'), '');
  expect([...kept.values()]).toEqual(['another']);
});

test('storage that is forbidden loses a draft and nothing else', () => {
  const refuse = () => {
    throw new Error('forbidden');
  };
  const storage = { getItem: refuse, setItem: refuse, removeItem: refuse };
  expect(readDraft(storage, 'x')).toBe('');
  expect(() => keepDraft(storage, 'x', 'text')).not.toThrow();
});

test('what was refused comes back before what was written since', () => {
  expect(putBack('refused', '')).toBe('refused');
  expect(putBack('refused', 'next')).toBe('refused\nnext');
});

test('a room id is made of what is allowed in one', () => {
  expect(roomIdFrom('Release Notes')).toBe('release-notes');
  expect(roomIdFrom('  Überall & nirgends! ')).toBe('uberall-nirgends');
  expect(roomIdFrom('日本')).toBe('');
  expect(roomIdFrom('x'.repeat(90))).toHaveLength(64);
});
