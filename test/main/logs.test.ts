import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { nsecEncode } from 'nostr-tools/nip19';
import { expect, test } from 'vitest';
import { openLogs } from '../../main/logs.ts';
import { generateSecret, signerFrom } from '../../relay/client/signer.ts';
import { temporaryHome } from './quiet.ts';

test('lines carry their source, reach the ring and the listeners, and are readable by this person only', () => {
  const home = temporaryHome();
  const logs = openLogs(home, { ring: 3 });
  const heard: string[] = [];
  logs.onLine(({ text }) => heard.push(text));
  for (const n of [1, 2, 3, 4]) logs.source('relay').warn(`line ${n}`);
  logs.source('main').error({ err: new Error('the cause') }, 'it failed');
  expect(logs.tail(2)).toMatchObject([
    { level: 'warn', source: 'relay', text: 'line 4' },
    { level: 'error', source: 'main', text: 'it failed: the cause' },
  ]);
  expect(logs.tail(10)).toHaveLength(3);
  expect(heard).toHaveLength(5);
  expect(statSync(home.at('logs', 'desktop.log')).mode & 0o777).toBe(0o600);
  logs.close();
});

test('F6 no key reaches the file or the ring, as nsec or as hex, however it is said', () => {
  const home = temporaryHome();
  const logs = openLogs(home);
  const secret = generateSecret();
  const hex = Buffer.from(secret).toString('hex');
  const { pubkey } = signerFrom(secret);
  logs.hide(secret);
  const log = logs.source('main');
  log.info(`a key ${hex} of ${pubkey}`);
  log.info({ key: hex.toUpperCase(), nested: { nsec: nsecEncode(secret) } }, 'fields');
  log.error({ err: new Error(`thrown with ${hex}`) }, `${nsecEncode(secret)}`);
  log.info('http://127.0.0.1:1/?token=abc-DEF_123 opened');
  const all = readFileSync(home.at('logs', 'desktop.log'), 'utf8') + JSON.stringify(logs.tail(100));
  expect(all.toLowerCase()).not.toContain(hex);
  expect(all).not.toContain('nsec1');
  expect(all).not.toContain('abc-DEF_123');
  expect(all).toContain(pubkey);
  logs.close();
});

test('a full file is turned over and only so many are kept', () => {
  const home = temporaryHome();
  const logs = openLogs(home, { maxBytes: 1000, files: 3 });
  for (let n = 0; n < 200; n++) logs.source('main').info(`line ${n} ${'x'.repeat(50)}`);
  logs.close();
  const files = readdirSync(home.at('logs'));
  expect(files.sort()).toEqual(['desktop.log', 'desktop.log.1', 'desktop.log.2']);
  for (const file of files) expect(statSync(home.at('logs', file)).size).toBeLessThanOrEqual(1100);
  expect(readFileSync(home.at('logs', 'desktop.log'), 'utf8')).toContain('line 199');
  expect(existsSync(home.at('logs', 'desktop.log.3'))).toBe(false);
});
