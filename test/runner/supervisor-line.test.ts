// The private line under Electron: the same words over the parent port.

import { EventEmitter } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import type { RunnerOrder } from '../../relay/protocol/runner-status.ts';
import { lineFromParentPort } from '../../runner/supervisor-line.ts';

afterEach(() => Reflect.deleteProperty(process, 'parentPort'));

test('no parent port, no line', () => {
  expect(lineFromParentPort()).toBeNull();
});

test('the first message is the key, later ones are orders, what is no order is passed over', async () => {
  const port = new EventEmitter();
  Object.defineProperty(process, 'parentPort', { value: port, configurable: true });
  const line = lineFromParentPort();
  port.emit('message', { data: 'secret' });
  port.emit('message', { data: '{"order":"stop"}' });
  expect(await line?.secret).toBe('secret');
  const orders: RunnerOrder[] = [];
  const problems: string[] = [];
  line?.listen({
    order: order => orders.push(order),
    gone: () => undefined,
    problem: text => problems.push(text),
  });
  port.emit('message', { data: { order: 'pause', reason: 'r' } });
  port.emit('message', { data: 'nsec1something' });
  port.emit('message', { data: '{"order":"dance"}' });
  expect(orders).toEqual([{ order: 'stop' }, { order: 'pause', reason: 'r' }]);
  expect(problems).toHaveLength(2);
  expect(problems.join()).not.toContain('nsec1');
});
