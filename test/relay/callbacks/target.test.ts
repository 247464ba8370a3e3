import { expect, test } from 'vitest';
import { classOfAddress } from '../../../relay/callbacks/address.ts';
import { deliver, type Post } from '../../../relay/callbacks/deliver.ts';
import { type Address, allowedAddresses, parseTarget } from '../../../relay/callbacks/target.ts';
import { CERTIFICATE } from './certificate.ts';
import { startReceiver } from './receiver.ts';

const PUBLIC: Address = { address: '93.184.215.14', family: 4 };
const LOOPBACK: Address = { address: '127.0.0.1', family: 4 };

function post(url: string): Post {
  return {
    url,
    callback: 'c',
    secret: 's'.repeat(16),
    relay: 'ws://r/',
    eventId: 'e',
    body: '{}',
    attempt: 1,
  };
}

const special = [
  ...[
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '100.127.255.255',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
  ],
  ...[
    '192.0.0.8',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.9',
  ],
  ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  ...[
    '::',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::808:808',
  ],
  ...[
    '64:ff9b:1::1',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    'fc00::1',
    'fdff::1',
    'fec0::1',
    'ff02::1',
    '100::1',
  ],
  ...['2001::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', '5f00::1', 'not an address', ''],
];

test.each(special)('F-45 %s is no public address', address => {
  expect(classOfAddress(address)).toBe('special');
});

test('F-45 loopback and public addresses are told apart by their bytes', () => {
  for (const address of ['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1']) {
    expect(classOfAddress(address)).toBe('loopback');
  }
  for (const address of [
    '8.8.8.8',
    '100.63.255.255',
    '100.128.0.1',
    '172.15.0.1',
    '172.32.0.1',
    '11.0.0.1',
    '2606:2800:21f::1',
    '2a00:1450::8',
  ]) {
    expect(classOfAddress(address)).toBe('public');
  }
});

const refused = [
  ...[
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '0177.0.0.1',
    '2130706433',
    '0x7f000001',
    '017700000001',
    '127.0.0.1.',
    '①②⑦.0.0.1',
  ],
  ...[
    '[::]',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[fe80::1]',
    '[fc00::1]',
  ],
  ...['169.254.169.254', '100.64.0.1', '0.0.0.0', '0', '10.1', '192.168.257'],
  ...[
    'localhost',
    'localhost.',
    'LOCALHOST',
    'a.localhost',
    'printer.local',
    'db.internal',
    'router',
    'nas.home.arpa',
  ],
];

test.each(refused)('F-45 https://%s/ is refused when it is registered', host => {
  const parsed = parseTarget(`https://${host}/hook`, 'public');
  expect(parsed.ok ? parsed.value.url : parsed.refusal).toMatch(/^invalid: callback url /);
});

const malformed = [
  ...[
    'https://user@example.com/',
    'https://user:pw@example.com/',
    'https://@example.com/',
    'https://example.com@127.0.0.1/',
  ],
  ...[
    'https://example.com/#part',
    'https://example.com/#',
    'http://example.com/',
    'ftp://example.com/',
    'javascript:alert(1)',
  ],
  ...[
    'https://exa mple.com/',
    'https://exam\tple.com/',
    'https://example.com\\@127.0.0.1/',
    'https://',
    'example.com',
    '',
  ],
  `https://example.com/${'x'.repeat(2048)}`,
];

test.each(malformed)('F-45 the URL %s is refused', url => {
  expect(parseTarget(url, 'public').ok).toBe(false);
  expect(parseTarget(url, 'loopback').ok).toBe(false);
});

test('a public URL keeps its port, path and query; the host is shown without path', () => {
  expect(parseTarget('  https://worker.example:8443/tiny?x=1  ', 'public')).toEqual({
    ok: true,
    value: { url: 'https://worker.example:8443/tiny?x=1', host: 'worker.example:8443' },
  });
  expect(parseTarget(undefined, 'public').ok).toBe(false);
});

test('the loopback rule opens this machine and nothing else', () => {
  for (const url of [
    'http://127.0.0.1:9/',
    'https://127.1:9/',
    'http://[::1]:9/',
    'http://localhost:9/',
    'https://example.com/',
  ]) {
    expect(parseTarget(url, 'loopback').ok, url).toBe(true);
  }
  for (const url of [
    'http://example.com/',
    'https://10.0.0.1/',
    'http://[::ffff:127.0.0.1]/',
    'https://0.0.0.0/',
    'https://[fe80::1]/',
  ]) {
    expect(parseTarget(url, 'loopback').ok, url).toBe(false);
  }
});

test('F-45 a name with two answers is refused when one of them is forbidden', async () => {
  const ask = (answers: Address[]) =>
    allowedAddresses(new URL('https://two.example/'), 'public', () => Promise.resolve(answers));
  expect(await ask([PUBLIC])).toEqual({ addresses: [PUBLIC] });
  expect(await ask([PUBLIC, LOOPBACK])).toMatchObject({ reason: expect.stringMatching(/127\.0\.0\.1/) });
  expect(await ask([LOOPBACK, PUBLIC])).toMatchObject({ reason: expect.stringMatching(/127\.0\.0\.1/) });
  expect(await ask([PUBLIC, { address: '::ffff:10.0.0.1', family: 6 }])).toMatchObject({
    reason: expect.stringMatching(/10\.0\.0\.1/),
  });
  expect(await ask([])).toMatchObject({ reason: expect.stringMatching(/no address/) });
});

test('F-45 plain http never leaves this machine, whatever the name leads to', async () => {
  const resolve = () => Promise.resolve([PUBLIC]);
  expect(await allowedAddresses(new URL('http://localhost:9/'), 'loopback', resolve)).toHaveProperty(
    'reason',
  );
});

test('F-45 a forbidden target is never connected to', async () => {
  const receiver = await startReceiver();
  const resolve = () => Promise.resolve([LOOPBACK]);
  for (const url of [
    receiver.url(),
    receiver.url('/', 'receiver.example'),
    `https://localhost:${receiver.port}/`,
  ]) {
    const delivery = await deliver(post(url), { rule: 'public', resolve, ca: CERTIFICATE });
    expect(delivery).toMatchObject({ ok: false, status: 0 });
  }
  expect(receiver.connections).toBe(0);
});

test('F-45 the connection goes to the address that was checked, though the name has changed since', async () => {
  const receiver = await startReceiver();
  const given: Address[][] = [[LOOPBACK], [{ address: '10.0.0.1', family: 4 }]];
  let asked = 0;
  const resolve = () => {
    asked += 1;
    return Promise.resolve(given[Math.min(asked, given.length) - 1]!);
  };
  const url = receiver.url('/hook', 'receiver.example');
  const first = await deliver(post(url), { rule: 'loopback', resolve, ca: CERTIFICATE });
  expect(first).toMatchObject({ ok: true, status: 200 });
  expect(asked).toBe(1);
  expect(receiver.received[0]!.headers.host).toBe(`receiver.example:${receiver.port}`);
  const second = await deliver(post(url), { rule: 'loopback', resolve, ca: CERTIFICATE });
  expect(second.reason).toMatch(/10\.0\.0\.1/);
  expect(receiver.connections).toBe(1);
});

test.each([301, 302, 303, 307, 308])('F-45 F-46 a %i is a failure and is not followed', async status => {
  const receiver = await startReceiver();
  const other = await startReceiver();
  receiver.answering = response => response.writeHead(status, { location: other.url() }).end();
  const delivery = await deliver(post(receiver.url()), { rule: 'loopback', ca: CERTIFICATE });
  expect(delivery).toMatchObject({ ok: false, status, reason: `HTTP ${status}: redirects are not followed` });
  expect(other.connections).toBe(0);
});
