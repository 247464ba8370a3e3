import { describe, expect, test } from 'vitest';
import { deriveJob, jobReplyRefusal, jobShapeRefusal } from '../../../relay/protocol/job.ts';
import { hex, madeEvent } from './made.ts';

const requester = hex('c1');
const worker = hex('d2');
const stranger = hex('e3');
const request = madeEvent({
  kind: 43001,
  pubkey: requester,
  tags: [
    ['h', 'work'],
    ['p', worker],
    ['subject', 'Summarise'],
    ['e', hex('09'), '', 'root'],
  ],
  content: 'Do it',
});

function answer(
  kind: number,
  fields: { at?: number; content?: string; tags?: string[][]; pubkey?: string } = {},
) {
  return madeEvent({
    kind,
    pubkey: fields.pubkey ?? (kind === 43005 ? requester : worker),
    created_at: request.created_at + (fields.at ?? 1),
    content: fields.content ?? '',
    tags: fields.tags ?? [
      ['h', 'work'],
      ['e', request.id],
      ['p', requester],
    ],
  });
}

describe('shapes, each with its own refusal', () => {
  const h = ['h', 'work'];
  const e = ['e', hex('01')];
  const p = ['p', worker];
  test.each([
    [43001, [h, p], null],
    [43001, [p], 'invalid: job request must name a room in an h tag'],
    [43001, [['h', 'No Room'], p], 'invalid: job request must name a room in an h tag'],
    [43001, [h, ['p', 'bob']], 'invalid: job request p tags must be hex public keys'],
    [43001, [h, p, ['p', 'bob']], 'invalid: job request p tags must be hex public keys'],
    [43001, [h, p, ['e', 'x']], 'invalid: job request e tag must name the thread root event id'],
    [43001, [h], 'invalid: job request must name at least one asked key in a p tag'],
    [43002, [h, e, p], null],
    [43002, [h, p], 'invalid: job accepted must name the job request in an e tag'],
    [43003, [h, ['e', 'x'], e, p], 'invalid: job progress must name the job request in an e tag'],
    [43004, [h, e], 'invalid: job result must name the requester in a p tag'],
    [43006, [e, p], "invalid: job error must keep the request's room in an h tag"],
    [43005, [h, e], null],
    [43005, [h, e, p], null],
    [43005, [h], 'invalid: job cancel must name the job request in an e tag'],
    [43005, [e], "invalid: job cancel must keep the request's room in an h tag"],
    [43005, [h, e, ['p', 'bob']], 'invalid: job cancel p tag must be a hex public key'],
    [1, [], null],
  ])('kind %i with %j', (kind, tags, refusal) => {
    expect(jobShapeRefusal(madeEvent({ kind, tags }))).toBe(refusal);
  });
});

describe('answers against the request they name', () => {
  test('an asked key may accept, report, finish and fail; the requester may cancel', () => {
    for (const kind of [43002, 43003, 43004, 43005, 43006]) {
      expect(jobReplyRefusal(answer(kind), request)).toBeNull();
    }
  });
  test('a request that is not held', () => {
    expect(jobReplyRefusal(answer(43002), null)).toBe(
      'restricted: job accepted must name a request this relay holds',
    );
    const note = madeEvent({ kind: 1 });
    expect(jobReplyRefusal(answer(43005), note)).toBe(
      'restricted: job cancel must name a request this relay holds',
    );
  });
  test('another room', () => {
    const tags = [
      ['h', 'other'],
      ['e', request.id],
      ['p', requester],
    ];
    expect(jobReplyRefusal(answer(43003, { tags }), request)).toBe(
      "invalid: job progress must keep the request's room h tag",
    );
    expect(jobReplyRefusal(answer(43005, { tags }), request)).toMatch(/^invalid: job cancel must keep/);
  });
  test('a cancel by another key', () => {
    expect(jobReplyRefusal(answer(43005, { pubkey: worker }), request)).toBe(
      'restricted: only the requester may cancel a long task',
    );
  });
  test('a p that is not the requester', () => {
    const tags = [
      ['h', 'work'],
      ['e', request.id],
      ['p', stranger],
    ];
    expect(jobReplyRefusal(answer(43004, { tags }), request)).toBe(
      'invalid: job result p tag must name the requester',
    );
  });
  test('a key that was not asked', () => {
    expect(jobReplyRefusal(answer(43004, { pubkey: stranger }), request)).toBe(
      'restricted: job result must come from a key the request asked',
    );
  });
});

describe('the state of a task', () => {
  test.each([
    ['nothing', [], 'open', 'queued'],
    ['accepted', [[43002, 1]], 'open', 'accepted'],
    [
      'accepted then progress',
      [
        [43002, 1],
        [43003, 2],
      ],
      'open',
      'running',
    ],
    [
      'progress then accepted',
      [
        [43003, 1],
        [43002, 2],
      ],
      'open',
      'accepted',
    ],
    [
      'a result',
      [
        [43002, 1],
        [43004, 2],
      ],
      'done',
      'done',
    ],
    ['a cancel', [[43005, 2]], 'cancelled', 'cancelled'],
    ['an error', [[43006, 2]], 'failed', 'failed'],
    [
      'an error after a result',
      [
        [43004, 2],
        [43006, 3],
      ],
      'failed',
      'failed',
    ],
    [
      'a result after a cancel',
      [
        [43005, 2],
        [43004, 3],
      ],
      'done',
      'done',
    ],
    [
      'progress after the end',
      [
        [43004, 2],
        [43003, 9],
      ],
      'done',
      'done',
    ],
  ] as [string, [number, number][], string, string][])('%s', (_, answers, state, status) => {
    const events = answers.map(([kind, at]) => answer(kind, { at }));
    expect(deriveJob(request, events)).toMatchObject({ state, status });
    expect(deriveJob(request, [...events].reverse())).toMatchObject({ state, status });
  });

  test('in one second the lower id counts as the newer', () => {
    const [low, high] = [answer(43004, { at: 5 }), answer(43006, { at: 5 })];
    expect(deriveJob(request, [high, low]).state).toBe('done');
  });

  test('keeps result, error and cancel time, and the newest progress even after the end', () => {
    const result = answer(43004, {
      at: 2,
      content: 'output',
      tags: [
        ['h', 'work'],
        ['e', request.id],
        ['p', requester],
        ['e', hex('77')],
        ['a', '30818:x:page'],
        ['r', 'https://example.org/'],
        ['r', ''],
      ],
    });
    const late = answer(43003, { at: 9, content: 'late' });
    const job = deriveJob(request, [result, answer(43005, { at: 3 }), late]);
    expect(job).toMatchObject({
      id: request.id,
      room: 'work',
      requester,
      assignees: [worker],
      subject: 'Summarise',
      content: 'Do it',
      root: hex('09'),
      state: 'cancelled',
      cancelled_at: request.created_at + 3,
      progress: { content: 'late', provider: worker },
      result: {
        content: 'output',
        artifacts: [
          { type: 'e', value: hex('77') },
          { type: 'a', value: '30818:x:page' },
          { type: 'r', value: 'https://example.org/' },
        ],
      },
    });
    expect(job).not.toHaveProperty('error');
    expect(job).not.toHaveProperty('expires');
  });

  test('an answer that names another request first is none of ours', () => {
    const tags = [
      ['h', 'work'],
      ['e', hex('55')],
      ['e', request.id],
      ['p', requester],
    ];
    expect(deriveJob(request, [answer(43004, { tags })]).status).toBe('queued');
  });
});
