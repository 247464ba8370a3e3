import { expect, test } from 'vitest';
import { Conversation } from '../../../renderer/rooms/conversation.ts';
import { missedSince, nothingSeen, seenNow } from '../../../renderer/rooms/follow.ts';
import { anna, answerTo, message, robin } from './some-events.ts';

test('what came after what was seen counts, in the conversation and in threads, but not one’s own', () => {
  const made = new Conversation();
  const root = message(anna, 10);
  made.add(root);
  const seen = seenNow(made.entries());
  expect(missedSince(made.entries(), seen, robin)).toBe(0);
  made.add(message(anna, 10));
  made.add(answerTo(root, anna, 20));
  made.add(message(robin, 30));
  expect(missedSince(made.entries(), seen, robin)).toBe(2);
});

test('what is loaded above is not missed', () => {
  const made = new Conversation();
  made.add(message(anna, 100));
  const seen = seenNow(made.entries());
  made.add(message(anna, 50));
  expect(missedSince(made.entries(), seen, robin)).toBe(0);
  expect(missedSince(made.entries(), nothingSeen, robin)).toBe(2);
});
