import { describe, expect, test } from 'vitest';
import { type Bridge, CallFailure, createBridge } from '../../main/bridge.ts';
import { keptLog } from './quiet.ts';

const from = { page: 'page' };
const absent = () => ({ kind: 'locked' as const, message: 'Your keys are locked.' });

function bridge(): { bridge: Bridge; said: string[] } {
  const { log, said } = keptLog();
  return { bridge: createBridge({ log, absent, checkResults: true }), said };
}

const settings = {
  version: 1 as const,
  scheme: 'auto' as const,
  notices: { messages: true, replies: true, mentions: true, approvals: true, relay: true },
  welcomeDone: false,
  readTo: {},
};

describe('the one door', () => {
  test('hands the parsed argument on, with who asked', async () => {
    const { bridge: door } = bridge();
    const seen: unknown[] = [];
    door.add({
      settings: {
        get: () => settings,
        change(args, caller) {
          seen.push(args, caller);
          return { ...settings, scheme: args.scheme ?? settings.scheme };
        },
      },
    });
    const reply = await door.call('settings.change', { scheme: 'dark', unknown: 1 }, from);
    expect(reply).toMatchObject({ ok: true, value: { scheme: 'dark' } });
    expect(seen).toEqual([{ scheme: 'dark' }, from]);
  });

  test.each([
    ['no such feature', 'nothing.get'],
    ['no such call', 'settings.nothing'],
    ['no dot', 'settings'],
    ['a name of every object', 'constructor.constructor'],
    ['a name of every object in a feature', 'settings.__proto__'],
    ['nothing at all', ''],
  ])('%s is not found', async (_what, name) => {
    const { bridge: door } = bridge();
    expect(await door.call(name, {}, from)).toMatchObject({ ok: false, failure: { kind: 'not-found' } });
  });

  test('a feature that is not there says why', async () => {
    const { bridge: door } = bridge();
    expect(await door.call('settings.get', {}, from)).toEqual({ ok: false, failure: absent() });
  });

  test('an argument that does not fit names each field', async () => {
    const { bridge: door } = bridge();
    door.add({ settings: { get: () => settings, change: () => settings } });
    const reply = await door.call('settings.change', { scheme: 'pink', notices: { replies: 'yes' } }, from);
    expect(reply).toMatchObject({
      ok: false,
      failure: {
        kind: 'invalid',
        fields: { scheme: expect.any(String), 'notices.replies': expect.any(String) },
      },
    });
  });

  test('what a handler expects to go wrong crosses as it is; surprises are logged and say so', async () => {
    const { bridge: door, said } = bridge();
    door.add({
      settings: {
        get: () =>
          Promise.reject(new CallFailure('conflict', 'Somebody was first', { details: 'conflict: x' })),
        change: () => {
          throw new Error('the cause');
        },
      },
    });
    expect(await door.call('settings.get', {}, from)).toEqual({
      ok: false,
      failure: { kind: 'conflict', message: 'Somebody was first', details: 'conflict: x' },
    });
    expect(await door.call('settings.change', {}, from)).toMatchObject({
      ok: false,
      failure: { kind: 'failed', details: 'the cause' },
    });
    expect(said.join('')).toContain('settings.change failed');
  });

  test('a result that breaks the contract is caught in tests', async () => {
    const { bridge: door } = bridge();
    door.add({ settings: { get: () => ({ ...settings, version: 2 }) as never, change: () => settings } });
    expect(await door.call('settings.get', {}, from)).toMatchObject({
      ok: false,
      failure: { kind: 'failed' },
    });
  });
});
