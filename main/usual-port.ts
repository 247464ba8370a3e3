// The relay's port when none was named: always the same one where possible, so that other programs can keep its
// address.

import { createServer } from 'node:net';
import type { Logger } from './logs.ts';

const usual = 4869;

/** The usual port when it is free on 127.0.0.1, else 0, which lets the system pick. */
export function usualPort(log: Pick<Logger, 'warn'>): Promise<number> {
  return new Promise(done => {
    const probe = createServer();
    probe.once('error', () => {
      log.warn(`port ${usual} is in use, so the relay gets another one`);
      done(0);
    });
    probe.listen(usual, '127.0.0.1', () => probe.close(() => done(usual)));
  });
}
