import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DraftSurroundings, grantTags, previewGrant } from '../../../main/agents/grant-draft.ts';
import { type AgentDraft, limits } from '../../../main/contract/agents.ts';
import type { RoomSummary } from '../../../main/contract/rooms.ts';
import { parseGrant } from '../../../relay/protocol/grant.ts';
import { scratch } from '../supervise/family.ts';

const AGENT = 'd'.repeat(64);
const OWNER = 'c'.repeat(64);
let folder: string;
let around: DraftSurroundings;
beforeEach(() => {
  folder = scratch();
  const general = { id: 'general' } as RoomSummary;
  around = { owner: OWNER, rooms: [general], names: ['Scribe'], workFolder: join(folder, 'work') };
});
afterEach(() => rmSync(folder, { recursive: true }));

function draft(more: Partial<AgentDraft> = {}): AgentDraft {
  return {
    name: 'Demo',
    program: { command: process.execPath, args: [], cwd: folder, protocol: 'acp' },
    rooms: ['general'],
    jobs: 'both',
    kinds: [],
    rate: 60,
    days: 90,
    limits: limits.parse({}),
    ...more,
  };
}

test('the grant of a local agent lets a runner do its work and says so in words', async () => {
  const now = 1_700_000_000;
  const tags = grantTags(draft(), AGENT, now);
  const event = { id: '', sig: '', pubkey: OWNER, kind: 30392, created_at: now, content: '', tags };
  const parsed = parseGrant(event, now);
  expect(parsed.ok && parsed.value).toEqual({
    agent: AGENT,
    name: 'Demo',
    expires: now + 90 * 86_400,
    scope: { kinds: [9, 20001, 20002, 5], rooms: ['general'], repos: [], jobs: 'both', rate: 60 },
  });
  const { words, problems } = await previewGrant(draft(), around);
  expect(problems).toEqual({});
  expect(words).toContain('It may post in the room general.');
  expect(words).toContain('It may publish at most 60 events a minute.');
});

test('C7 H7 what this machine or the relay would refuse is named by its field before anything is signed', async () => {
  const bad = draft({
    name: 'scribe',
    rooms: ['general', 'nowhere'],
    rate: 900,
    program: { command: 'no-such-agent-here', args: [], cwd: join(folder, 'missing'), protocol: 'acp' },
  });
  const { problems } = await previewGrant(bad, around);
  expect(Object.keys(problems).sort()).toEqual(['name', 'program.command', 'program.cwd', 'rate', 'rooms.1']);
  expect(problems['program.command']).toContain('no-such-agent-here');
});

test('a folder of its own below work/ need not be there yet', async () => {
  const own = draft({ program: { ...draft().program, cwd: join(folder, 'work', 'demo') } });
  expect((await previewGrant(own, around)).problems).toEqual({});
  const sly = draft({ program: { ...draft().program, cwd: join(folder, 'work', '..', 'elsewhere') } });
  expect(Object.keys((await previewGrant(sly, around)).problems)).toEqual(['program.cwd']);
});
