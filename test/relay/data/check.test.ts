import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { callbacks } from '../../../relay/callbacks/schema.ts';
import { check } from '../../../relay/data/check.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { parseGrant } from '../../../relay/protocol/grant.ts';
import { filledFolder, NOW, openStored, save, signed, signer, temporaryFolder } from './stored.ts';

async function problemsOf(data: string): Promise<string[]> {
  const problems: string[] = [];
  const report = await check(data, { onProblem: problem => problems.push(problem) });
  expect(report.problems).toBe(problems.length);
  return problems;
}

/** A folder with events and one agent under a grant, as the relay would have left it. */
function made(): { data: string; events: NostrEvent[]; agent: string; grant: NostrEvent } {
  const data = join(temporaryFolder(), 'data');
  const events = filledFolder(data);
  const owner = signer();
  const agent = signer().pubkey;
  const tags = [
    ['d', agent],
    ['p', agent],
    ['expiration', `${NOW + 86_400}`],
    ['name', 'helper'],
    ['k', '9'],
    ['room', 'build'],
  ];
  const grant = signed(owner, { kind: 30392, tags });
  const parsed = parseGrant(grant, NOW);
  if (!parsed.ok) throw new Error(parsed.refusal);
  const relay = openStored(data);
  save(relay.store, [grant]);
  relay.store.transact(() => {
    const { name, expires, scope } = parsed.value;
    const record = {
      owner: owner.pubkey,
      event_id: grant.id,
      created_at: grant.created_at,
      paused: false,
      revoked: 0,
    };
    relay.store.grants.put({ pubkey: agent, name, expires, scope, ...record });
    const row = {
      role: 'agent',
      name: '',
      note: '',
      invited_by: owner.pubkey,
      via: 'grant',
      created_at: NOW,
    } as const;
    relay.store.members.put({ pubkey: agent, ...row });
  });
  relay.close();
  return { data, events, agent, grant };
}

function change(data: string, sql: string, ...values: unknown[]): void {
  const db = new Database(join(data, 'events.db'));
  db.prepare(sql).run(...values);
  db.close();
}

test('a sound folder has no problems, also while a relay holds it', async () => {
  const { data, events } = made();
  const relay = openStored(data);
  const report = await check(data, { onProblem: problem => expect.unreachable(problem) });
  expect(report).toEqual({ events: events.length + 1, problems: 0 });
  relay.close();
});

const changedRows: [name: string, sql: string, told: RegExp][] = [
  ['another content', `UPDATE events SET json = replace(json, 'note 3', 'note X')`, /id is not the hash/],
  ['another form', `UPDATE events SET json = json || ' ' WHERE seq = 4`, /JSON is not an event/],
  [
    'another time in the row',
    `UPDATE events SET created_at = created_at + 1 WHERE seq = 4`,
    /another kind or time/,
  ],
  [
    'another author in the row',
    `UPDATE events SET author = author + 1 WHERE seq = 4`,
    /another id or author/,
  ],
  ['an expiry it has not', `UPDATE events SET expires_at = 5 WHERE seq = 4`, /another expiry/],
  ['a tag that is not indexed', `DELETE FROM tags WHERE name = 't'`, /tag t is not indexed/],
  [
    'an index row of nothing',
    `UPDATE tags SET seq = 999 WHERE name = 't'`,
    /index an event that is not there/,
  ],
  [
    'a version of nothing',
    `UPDATE current SET seq = 999 WHERE address LIKE '30023:%'`,
    /version that is not there/,
  ],
  ['an old version', `DELETE FROM current WHERE address LIKE '30023:%'`, /not the version in force/],
  [
    'a member of no room',
    `INSERT INTO room_members VALUES ('gone', 'ab', 'member', 1)`,
    /room that is not there/,
  ],
  ['an agent whose grant is gone', `UPDATE grants SET revoked = 5`, /role agent without a grant/],
  [
    'a grant that allows more',
    `UPDATE grants SET scope = replace(scope, '[9]', '[9,1]')`,
    /allows something else/,
  ],
  ['a grant with another expiry', `UPDATE grants SET expires = expires + 1`, /another name or expiry/],
  ['a grant of another signer', `UPDATE grants SET owner = agent`, /signed by another key/],
  ['a grant without its event', `UPDATE grants SET event_id = 'ff'`, /event is not stored/],
];

test.each(changedRows)('F-05 check names %s', async (_name, sql, told) => {
  const { data } = made();
  change(data, sql);
  expect((await problemsOf(data)).join('\n')).toMatch(told);
});

test('F-05 check names a signature that is not the author’s', async () => {
  const { data, events } = made();
  const [first, second] = [events[3]!, events[4]!];
  change(data, 'UPDATE events SET json = replace(json, ?, ?)', first.sig, second.sig);
  expect(await problemsOf(data)).toEqual([`event ${first.id}: its signature is not its author's`]);
});

test('F-05 check names an event that was deleted and is there all the same', async () => {
  const { data, events } = made();
  change(data, 'INSERT INTO deleted_ids VALUES (?, ?)', events[5]!.id, events[5]!.pubkey);
  expect(await problemsOf(data)).toEqual([
    `event ${events[5]!.id}: it was deleted and is stored all the same`,
  ]);
});

test('F-05 check names damaged pages instead of failing', async () => {
  const { data } = made();
  const path = join(data, 'events.db');
  const bytes = readFileSync(path);
  bytes.fill(0x5a, 4096 * 3, 4096 * 5);
  writeFileSync(path, bytes);
  const problems = await problemsOf(data);
  expect(problems.length).toBeGreaterThan(0);
  expect(problems.every(problem => problem.startsWith('database:'))).toBe(true);
});

test('F-05 check names callback jobs of no callback', async () => {
  const { data } = made();
  const db = new Database(join(data, 'events.db'));
  if (db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'callbacks'").get() === undefined)
    db.exec(callbacks);
  db.close();
  change(data, "INSERT INTO callback_jobs VALUES (1, 'gone', 'ab', NULL, 0, 0, NULL)");
  expect(await problemsOf(data)).toEqual([
    'callback_jobs: 1 rows belong to a callback that is not there (gone)',
  ]);
});

test('F-05 what is no database is refused in one line', async () => {
  const data = temporaryFolder();
  await expect(check(data, { onProblem() {} })).rejects.toThrow(/no database/);
  writeFileSync(join(data, 'events.db'), 'x'.repeat(200));
  await expect(check(data, { onProblem() {} })).rejects.toThrow(/damaged/);
});
