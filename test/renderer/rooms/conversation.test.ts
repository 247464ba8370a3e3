import { expect, test } from 'vitest';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { KIND } from '../../../relay/protocol/kinds.ts';
import { Conversation, type Entry, textOf } from '../../../renderer/rooms/conversation.ts';
import { anna, answerTo, demo, event, job, message, robin } from './some-events.ts';

function conversation(...events: NostrEvent[]): Conversation {
  const made = new Conversation();
  for (const one of events) made.add(one);
  return made;
}

const ids = (entries: readonly Entry[]) => entries.map(entry => entry.id);

function only(made: Conversation): Extract<Entry, { kind: 'message' }> {
  const [entry] = made.entries();
  if (entry?.kind !== 'message') throw new Error('expected a message');
  return entry;
}

test('messages stand oldest first, however they came and however often', () => {
  const first = message(anna, 10);
  const second = message(robin, 20);
  const made = conversation(second, first, second);
  expect(ids(made.entries())).toEqual([first.id, second.id]);
  expect(made.add(first)).toBe(false);
});

test('answers stand beneath their root, also when they came before it', () => {
  const root = message(anna, 10);
  const early = answerTo(root, robin, 30);
  const made = conversation(early);
  expect(ids(made.entries())).toEqual([early.id]);
  made.add(root);
  const later = answerTo(root, anna, 40);
  made.add(later);
  expect(ids(made.entries())).toEqual([root.id]);
  expect(ids(only(made).answers)).toEqual([early.id, later.id]);
});

test('a kind 12 reply is beneath the thread its e tag names', () => {
  const root = message(anna, 10);
  const reply = event(robin, KIND.threadReply, 20, [['e', root.id]], 'old style');
  expect(ids(only(conversation(root, reply)).answers)).toEqual([reply.id]);
});

test('a job stands where it was asked for and carries what answers it', () => {
  const root = message(anna, 10);
  const made = conversation(root);
  const asked = job(11, { root: root.id });
  made.addJob(asked);
  const own = job(20);
  made.addJob(own);
  made.add(message(demo, 30, 'done', [['e', own.id, '', 'root']]));
  const entries = made.entries();
  expect(ids(entries)).toEqual([root.id, own.id]);
  expect(ids(entries[0]?.answers ?? [])).toEqual([asked.id]);
  expect(entries[1]?.answers).toHaveLength(1);
  made.addJob({ ...own, status: 'running' });
  const changed = made.entries()[1];
  expect(changed?.kind === 'job' && changed.job.status).toBe('running');
});

test('the newest edit by the author counts, an edit by somebody else does not', () => {
  const written = message(anna, 10, 'first');
  const made = conversation(written);
  made.add(event(anna, KIND.edit, 30, [['e', written.id]], 'third'));
  made.add(event(anna, KIND.edit, 20, [['e', written.id]], 'second'));
  made.add(event(robin, KIND.edit, 40, [['e', written.id]], 'forged'));
  expect(textOf(only(made).message)).toBe('third');
});

test('reactions are counted once a person and go when they are taken back', () => {
  const written = message(anna, 10);
  const up = event(robin, KIND.reaction, 11, [['e', written.id]], '+');
  const again = event(robin, KIND.reaction, 12, [['e', written.id]], '+');
  const other = event(demo, KIND.reaction, 13, [['e', written.id]], '+');
  const made = conversation(written, up, again, other);
  expect(only(made).message.reactions).toEqual([
    {
      content: '+',
      by: [
        { pubkey: robin, id: up.id },
        { pubkey: demo, id: other.id },
      ],
    },
  ]);
  made.add(event(demo, KIND.deletion, 14, [['e', other.id]]));
  expect(only(made).message.reactions[0]?.by).toHaveLength(1);
});

test('kind 5 takes back only what its author wrote, 9005 what an admin removes, and neither comes back', () => {
  const written = message(anna, 10);
  const made = conversation(written);
  expect(made.add(event(robin, KIND.deletion, 20, [['e', written.id]]))).toBe(false);
  expect(made.entries()).toHaveLength(1);
  made.add(event(anna, KIND.deletion, 21, [['e', written.id]]));
  expect(made.entries()).toHaveLength(0);
  expect(made.add(written)).toBe(false);
  const second = message(anna, 30);
  made.add(second);
  made.add(event(robin, KIND.deleteEvent, 31, [['e', second.id]]));
  expect(made.entries()).toHaveLength(0);
});

test('what did not change stays the same object, so that it is not drawn again', () => {
  const first = message(anna, 10);
  const second = message(robin, 20);
  const made = conversation(first, second);
  const before = made.entries();
  made.add(event(demo, KIND.reaction, 30, [['e', second.id]], '+'));
  const after = made.entries();
  expect(after[0]).toBe(before[0]);
  expect(after[1]).not.toBe(before[1]);
});

test('within one second things stand as they became known, a job before what is said about it', () => {
  const root = message(anna, 10);
  const made = conversation(root, answerTo(root, demo, 10), answerTo(root, robin, 10));
  const before = ids(made.entries()[0]?.answers ?? []);
  const asked = job(10, { root: root.id });
  made.addJob(asked);
  expect(ids(made.entries()[0]?.answers ?? [])).toEqual([asked.id, ...before]);
});

test('a message added at the end gives what a whole build gives', () => {
  const events: NostrEvent[] = [];
  const quick = new Conversation();
  for (let at = 0; at < 40; at += 1) {
    const root = events[at % 7];
    const next =
      at % 5 === 4 && root ? answerTo(root, anna, at) : message(at % 2 ? anna : robin, at - (at % 9));
    events.push(next);
    quick.add(next);
    quick.entries();
  }
  const whole = conversation(...events);
  expect(ids(quick.entries())).toEqual(ids(whole.entries()));
  expect(quick.entries().map(entry => ids(entry.answers))).toEqual(
    whole.entries().map(entry => ids(entry.answers)),
  );
});
