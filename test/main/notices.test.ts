import { beforeEach, describe, expect, test } from 'vitest';
import type { Reply } from '../../main/contract/contract.ts';
import type { Banner } from '../../main/contract/notices.ts';
import type { Settings } from '../../main/contract/settings.ts';
import { approvalTag, createNotices, type Notices } from '../../main/notices.ts';
import type { BannerOutcome, Shell } from '../../main/shell/shell.ts';
import { keptLog } from './quiet.ts';

const id = (n: number) => n.toString(16).padStart(64, '0');
const request = (n: number, more: Partial<Banner> = {}): Banner => ({
  tag: approvalTag(id(n)),
  category: 'approvals',
  title: `Agent asks ${n}`,
  body: 'Write a file',
  address: `#/approvals/${id(n)}`,
  actions: [
    { action: 'approve', title: 'Approve' },
    { action: 'deny', title: 'Deny' },
  ],
  approval: id(n),
  ...more,
});
const message: Banner = {
  tag: 'mentions-general',
  category: 'mentions',
  title: 'Ann mentioned you in general',
  body: 'hello',
  address: '#/rooms/general',
  actions: [],
};

let shown: Banner[];
let closed: string[];
let opened: string[];
let calls: [string, unknown][];
let outcome: BannerOutcome;
let reply: Reply<unknown>;
let locked: boolean;
let switches: Settings['notices'];
let clock: number;
let notices: Notices;

beforeEach(() => {
  shown = [];
  closed = [];
  opened = [];
  calls = [];
  outcome = { outcome: 'shown' };
  reply = { ok: true, value: {} };
  locked = false;
  switches = { messages: true, replies: true, mentions: true, approvals: true, relay: true };
  clock = 1_000_000;
  const shell: Pick<Shell, 'showBanner' | 'closeBanner' | 'open' | 'locked' | 'report'> = {
    async showBanner(banner) {
      shown.push(banner);
      return outcome;
    },
    closeBanner: tag => void closed.push(tag),
    async open(address) {
      opened.push(address ?? '');
    },
    locked: () => locked,
    report() {},
  };
  notices = createNotices({
    shell: () => shell as Shell,
    settings: () => ({ version: 1, scheme: 'auto', notices: switches, welcomeDone: true, readTo: {} }),
    push() {},
    bridge: {
      async call(name, args) {
        calls.push([name, args]);
        return reply;
      },
    },
    log: keptLog().log,
    now: () => clock,
  });
});

describe('whether a banner is shown', () => {
  test('E4 only the very card on a focused page holds it back', async () => {
    const looking = (address: string, focused: boolean, page: string) =>
      notices.handlers.looking({ address, focused }, { page });
    await looking('#/rooms/general', true, 'one');
    expect((await notices.raise(request(1))).outcome).toBe('shown');
    await looking('#/approvals', true, 'one');
    expect((await notices.raise(request(2))).outcome).toBe('shown');
    await looking(`#/approvals/${id(3)}`, false, 'two');
    expect((await notices.raise(request(3))).outcome).toBe('shown');
    await looking(`#/approvals/${id(4)}`, true, 'two');
    expect(await notices.raise(request(4))).toMatchObject({
      outcome: 'suppressed',
      reason: 'it is on screen',
    });
    await looking(`#/approvals/${id(5)}`, true, 'two');
    notices.pageGone('two');
    expect((await notices.raise(request(5))).outcome).toBe('shown');
  });

  test('a switched-off category is held back and says so; the others go on', async () => {
    switches = { ...switches, mentions: false };
    expect(await notices.raise(message)).toMatchObject({
      outcome: 'suppressed',
      reason: expect.stringContaining('mentions'),
    });
    expect((await notices.raise(request(1))).outcome).toBe('shown');
    expect(shown.map(({ tag }) => tag)).toEqual([approvalTag(id(1))]);
  });

  test('E6 the test takes the same way as a real one, through every rule', async () => {
    expect(await notices.handlers.test({}, { page: 'one' })).toMatchObject({
      outcome: 'shown',
      category: 'approvals',
    });
    outcome = { outcome: 'failed', reason: 'the system refused' };
    expect(await notices.handlers.test({}, { page: 'one' })).toMatchObject({
      outcome: 'failed',
      reason: 'the system refused',
    });
    switches = { ...switches, approvals: false };
    expect((await notices.handlers.test({}, { page: 'one' })).outcome).toBe('suppressed');
    expect(await notices.handlers.list({}, { page: 'one' })).toHaveLength(3);
  });

  test('many messages of one place share a banner for half a minute', async () => {
    await notices.raise(message);
    await notices.raise(message);
    clock += 20_000;
    await notices.raise(message);
    clock += 20_000;
    await notices.raise(message);
    expect(shown.map(({ title }) => title.replace(message.title, ''))).toEqual(['', ' (+1)', ' (+2)', '']);
    expect(new Set(shown.map(({ tag }) => tag)).size).toBe(1);
  });

  test('a flood of requests shares one banner without buttons', async () => {
    for (let n = 1; n <= 7; n++) await notices.raise(request(n));
    expect(shown).toHaveLength(7);
    expect(shown.slice(5)).toMatchObject([
      { tag: 'approvals', title: '6 requests wait for you', actions: [], address: '#/approvals' },
      { tag: 'approvals', title: '7 requests wait for you' },
    ]);
  });

  test('what the shell cannot show is recorded as failed, with the reason', async () => {
    outcome = { outcome: 'failed', reason: 'no page of the dashboard is open' };
    expect(await notices.raise(request(1))).toMatchObject(outcome);
    expect(await notices.handlers.list({}, { page: 'one' })).toMatchObject([{ ...outcome, at: clock }]);
  });
});

describe('what comes of a press', () => {
  test('E7 answered anywhere closes it everywhere, and nothing shows it again', async () => {
    await notices.raise(request(1));
    notices.settled(id(1));
    expect(closed).toContain(approvalTag(id(1)));
    expect(await notices.raise(request(1))).toMatchObject({
      outcome: 'suppressed',
      reason: 'it was already answered',
    });
  });

  test('E7 a late press says who answered', async () => {
    reply = { ok: false, failure: { kind: 'conflict', message: 'Answered by Ann at 12:03.' } };
    await notices.raise(request(1));
    await notices.pressed(id(1), 'approve', 'banner');
    expect(shown.at(-1)).toMatchObject({
      title: 'Already answered',
      body: 'Answered by Ann at 12:03.',
      actions: [],
    });
  });

  test('E8 the first press is final: the banner closes at once, a second press changes nothing', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await notices.raise(request(1));
    const slow = { ...reply };
    reply = promise.then(() => slow) as unknown as Reply<unknown>;
    const first = notices.pressed(id(1), 'approve', 'banner');
    expect(closed).toEqual([approvalTag(id(1))]);
    await notices.pressed(id(1), 'deny', 'banner');
    resolve();
    await first;
    expect(calls).toEqual([['approvals.decide', { id: id(1), decision: 'approve', from: 'banner' }]]);
  });

  test('E9 on a locked screen approving opens the request instead; denying is allowed', async () => {
    locked = true;
    await notices.pressed(id(1), 'approve', 'banner');
    expect(calls).toEqual([]);
    expect(opened).toEqual([`#/approvals/${id(1)}`]);
    await notices.pressed(id(1), 'deny', 'banner');
    expect(calls).toEqual([['approvals.decide', { id: id(1), decision: 'deny', from: 'banner' }]]);
  });

  test('an answer that was not taken is said, and may be given again', async () => {
    reply = { ok: false, failure: { kind: 'unavailable', message: 'The relay does not answer.' } };
    await notices.pressed(id(1), 'deny', 'tray');
    expect(shown.at(-1)).toMatchObject({ title: 'Your answer was not taken' });
    reply = { ok: true, value: {} };
    await notices.pressed(id(1), 'deny', 'tray');
    expect(calls).toHaveLength(2);
  });
});
