// The readers of what comes from outside, fed with events that are almost right: they answer, they never throw, and
// what they accept reads the same again. The seed is in the name of each test; SEED=n repeats a run.

import { expect, test } from 'vitest';
import { approvalRequest, settleApproval } from '../../../relay/protocol/approval.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { parseGrant } from '../../../relay/protocol/grant.ts';
import { parseGrantRequest, replaceGrant } from '../../../relay/protocol/grant-request.ts';
import { scopeRefusal } from '../../../relay/protocol/grant-scope.ts';
import { decodeProof, proofRefusal } from '../../../relay/protocol/http-auth.ts';
import { answerContent, parseAnswer, parseInteraction } from '../../../relay/protocol/interaction.ts';
import { deriveJob, jobReplyRefusal, jobShapeRefusal } from '../../../relay/protocol/job.ts';
import { roomAssignments, roomFields } from '../../../relay/protocol/room.ts';
import { parseSiteLabel } from '../../../relay/protocol/site.ts';
import { hex, madeEvent, randomFrom, testSeed } from './made.ts';

const seed = testSeed();
const ROUNDS = 3000;
const now = 1_700_000_000;
const agent = hex('a1');
const owner = hex('0f');

const NAMES = [
  ...[
    'd',
    'p',
    'P',
    'e',
    'E',
    'k',
    'K',
    'a',
    'A',
    'h',
    'r',
    'name',
    'expiration',
    'room',
    'repo',
    'wiki',
    'jobs',
  ],
  ...[
    'sites',
    'rate',
    'request',
    'grant',
    'tinyagent',
    'interaction',
    'selection',
    'freeform',
    'option',
    'mention',
  ],
  ...[
    'subject',
    'access',
    'private',
    'about',
    'picture',
    'u',
    'method',
    'payload',
    '',
    '__proto__',
    'constructor',
  ],
];
const VALUES = [
  ...[
    '',
    ' ',
    '0',
    '1',
    '9',
    '60',
    '601',
    '-1',
    '1e3',
    '1.5',
    '٣',
    'true',
    'text',
    'single',
    'multiple',
    'question',
  ],
  ...[
    'approval',
    'approve',
    'grant',
    'propose',
    'edit',
    'both',
    'serve',
    'general',
    '*',
    'ttl=7',
    'encrypted',
    '30392',
  ],
  ...[
    agent,
    owner,
    hex('ff'),
    agent.toUpperCase(),
    `${owner}:x:read`,
    `${owner}:x:`,
    `30617:${owner}:x`,
    ':::',
  ],
  ...[
    String(now + 1000),
    '9'.repeat(20),
    '\ud800',
    '\u0000',
    '🌱'.repeat(300),
    'x'.repeat(9000),
    '{"text":"x"}',
  ],
  ...[
    '["c0"]',
    '[[[[',
    '{"base":"x","changes":{}}',
    JSON.stringify({ base: hex('77'), changes: { kinds: [1] } }),
  ],
];
const KINDS = [1, 7, 9, 11, 1111, 1621, 1630, 15128, 35128, 30392, 43001, 43002, 43004, 43005, 9000, 27235];

type Random = () => number;
const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
const some = <T>(random: Random, most: number, make: () => T): T[] =>
  Array.from({ length: Math.floor(random() * most) }, make);

function anyEvent(random: Random): NostrEvent {
  const tag = () => [pick(random, NAMES), ...some(random, 4, () => pick(random, VALUES))];
  return madeEvent({
    kind: pick(random, KINDS),
    pubkey: pick(random, [agent, owner]),
    created_at: now - Math.floor(random() * 100),
    content: pick(random, VALUES),
    tags: some(random, 14, tag),
  });
}

/** A good event with one tag changed, dropped, doubled or emptied. */
function damaged(random: Random, tags: string[][]): string[][] {
  const at = Math.floor(random() * tags.length);
  const tag = tags[at] ?? [];
  const change = pick(random, ['none', 'drop', 'double', 'value', 'cut', 'extend']);
  const changed: Record<string, string[][]> = {
    none: [tag],
    drop: [],
    double: [tag, tag],
    value: [[tag[0] ?? '', pick(random, VALUES), ...tag.slice(2)]],
    cut: [tag.slice(0, 1)],
    extend: [[...tag, pick(random, VALUES)]],
  };
  return tags.flatMap((other, index) => (index === at ? (changed[change] ?? []) : [other]));
}

function rounds(name: string, check: (random: Random) => void): void {
  test(`${name} (SEED=${seed})`, () => {
    const random = randomFrom(seed);
    for (let round = 0; round < ROUNDS; round += 1) check(random);
  });
}

rounds('any event passes through every reader without a throw', random => {
  const event = anyEvent(random);
  const other = anyEvent(random);
  const grant = parseGrant(event, now);
  if (grant.ok) scopeRefusal(grant.value.scope, other, now);
  const request = parseGrantRequest(event);
  if (request.ok) replaceGrant(request.value, other, now);
  jobShapeRefusal(event);
  jobReplyRefusal(event, other);
  deriveJob(event, [other, event]);
  const card = parseInteraction(event);
  if (card.ok) parseAnswer(card.value, other.content);
  const asked = approvalRequest(event);
  if (asked !== null) settleApproval(asked, [other, event], now);
  roomFields(event);
  roomAssignments(event);
  parseSiteLabel(pick(random, VALUES));
  const proof = { method: 'POST', path: '/', isOurUrl: () => true, bodyHash: null };
  expect(typeof (proofRefusal(event, proof, now) ?? '')).toBe('string');
});

const GOOD_GRANT = [
  ['d', agent],
  ['p', agent],
  ['name', 'scribe'],
  ['expiration', String(now + 1000)],
  ['room', 'general'],
  ['repo', `${owner}:x:read`],
  ['k', '9'],
  ['jobs', 'both'],
  ['sites', '*', 'ttl=7'],
  ['rate', '60'],
];

rounds('an accepted grant holds only values of the contract and reads the same again', random => {
  const event = madeEvent({ kind: 30392, pubkey: owner, tags: damaged(random, GOOD_GRANT) });
  const parsed = parseGrant(event, now);
  if (!parsed.ok) {
    expect(parsed.refusal).toMatch(/^invalid: agent grant /);
    return;
  }
  const { kinds, rooms, repos, wiki, jobs, sites = [], rate } = parsed.value.scope;
  const written = [
    ['d', parsed.value.agent],
    ['p', parsed.value.agent],
    ['name', parsed.value.name],
    ['expiration', String(parsed.value.expires)],
    ...rooms.map(room => ['room', room]),
    ...repos.map(repo => ['repo', `${repo.owner}:${repo.identifier}:${repo.level}`]),
    ...kinds.map(kind => ['k', String(kind)]),
    ['wiki', wiki ?? ''],
    ['jobs', jobs ?? ''],
    ...sites.map(({ label, ttl, encrypted }) => [
      'sites',
      label,
      ...(ttl === undefined ? [] : [`ttl=${ttl}`]),
      ...(encrypted ? ['encrypted'] : []),
    ]),
    ['rate', String(rate)],
  ];
  expect(parseGrant({ ...event, tags: written }, now)).toEqual(parsed);
});

const GOOD_CARD = [
  ['tinyagent', '1'],
  ['interaction', 'question'],
  ['selection', 'multiple'],
  ['freeform', 'true'],
  ['option', 'c0', 'One'],
  ['option', 'c1', 'Two'],
];

rounds('an accepted answer is one its card offers', random => {
  const card = parseInteraction({ tags: damaged(random, damaged(random, GOOD_CARD)) });
  if (!card.ok) {
    expect(card.refusal).toMatch(/^invalid: interaction /);
    return;
  }
  const answer = parseAnswer(
    card.value,
    pick(random, [...VALUES, 'c0', '["c1","c0"]', '{"choices":["c0"],"text":"x"}']),
  );
  if (answer === null) return;
  const ids = card.value.options.map(option => option.id);
  expect(answer.choices.every(id => ids.includes(id))).toBe(true);
  expect(answer.choices.length + answer.text.length).toBeGreaterThan(0);
  expect(parseAnswer(card.value, answerContent(card.value, answer))).toEqual(answer);
});

rounds('any Authorization header is read or refused', random => {
  const good = Buffer.from(JSON.stringify(anyEvent(random))).toString('base64');
  const at = Math.floor(random() * good.length);
  const header = `Nostr ${good.slice(0, at)}${pick(random, VALUES)}${good.slice(at + 1)}`;
  const decoded = decodeProof(header);
  if ('refusal' in decoded) expect(decoded.refusal).toMatch(/^auth-required: /);
});

test('long hostile texts are answered at once', () => {
  const long = `${'a'.repeat(200_000)} ${'='.repeat(200_000)}`;
  expect(decodeProof(`Nostr ${long}`)).toHaveProperty('refusal');
  expect(parseSiteLabel(long)).toBeNull();
  const event = madeEvent({
    kind: 30392,
    pubkey: owner,
    tags: [
      ['d', agent],
      ['repo', `${owner}:${':'.repeat(100_000)}`],
    ],
  });
  expect(parseGrant(event, now).ok).toBe(false);
});
