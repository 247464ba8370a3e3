// A new agent as one action: key, record, grant, rooms, process, handshake. All of it, or nothing is left behind
// (issue "New agent", case A15).

import { mkdir, rm } from 'node:fs/promises';
import { generateSecret, signerFrom } from '../../relay/client/signer.ts';
import { KIND } from '../../relay/protocol/kinds.ts';
import { CallFailure } from '../bridge.ts';
import type { AgentDraft } from '../contract/agents.ts';
import type { RelayLink } from '../relay-link.ts';
import { putUserDraft, removeUserDraft } from '../rooms/room-drafts.ts';
import { type DraftSurroundings, grantTags, isInside, previewGrant } from './grant-draft.ts';
import { type AgentKeys, HandshakeFailure, type LocalAgent } from './local-agent.ts';
import { type AgentFolder, type AgentRecord, agentFolder } from './record.ts';

/** A handshake of a program that loads a large model may take its time, but not for ever. */
const HANDSHAKE_MS = 45_000;

export type CreateParts = {
  link: RelayLink;
  keys: AgentKeys;
  /** Folder that holds a folder for each agent. */
  agents: string;
  around: DraftSurroundings;
  adopt(folder: AgentFolder, record: AgentRecord): LocalAgent;
  abandon(agent: LocalAgent): void;
  /** Keeps a key that never came to be out of the lists. */
  discard(pubkey: string): void;
};

/** Makes the agent. Throws CallFailure with the problem, after taking back every step that was done. */
export async function createAgent(parts: CreateParts, draft: AgentDraft): Promise<LocalAgent> {
  const { link, keys } = parts;
  const { problems } = await previewGrant(draft, parts.around);
  const first = Object.values(problems)[0];
  if (first !== undefined) throw new CallFailure('invalid', first, { fields: problems });

  const undo: (() => Promise<void> | void)[] = [];
  try {
    const secret = generateSecret();
    const pubkey = signerFrom(secret).pubkey;
    const { cwd } = draft.program;
    const made = isInside(cwd, parts.around.workFolder)
      ? await mkdir(cwd, { recursive: true, mode: 0o700 })
      : undefined;
    if (made !== undefined) undo.push(() => rm(made, { recursive: true, force: true }));

    undo.push(() => keys.remove(pubkey));
    keys.write(pubkey, secret);
    secret.fill(0);

    const folder = agentFolder(parts.agents, pubkey);
    undo.push(() => folder.remove());
    const record: AgentRecord = {
      version: 1,
      pubkey,
      name: draft.name,
      program: draft.program,
      limits: draft.limits,
      rooms: [...new Set(draft.rooms)],
      createdAt: Date.now(),
      wanted: true,
      suspended: null,
      cancelled: [],
      ...(made === undefined ? {} : { madeFolder: made }),
    };
    folder.save(record);

    undo.push(async () => {
      parts.discard(pubkey);
      await revoke(link, pubkey);
    });
    const now = Math.floor(Date.now() / 1000);
    await link.publish({
      kind: KIND.agentGrant,
      created_at: now,
      content: '',
      tags: grantTags(draft, pubkey, now),
    });
    for (const room of record.rooms) {
      undo.push(async () => {
        await link.publish(removeUserDraft(room, pubkey));
      });
      await link.publish(putUserDraft(room, pubkey));
    }

    const agent = parts.adopt(folder, record);
    undo.push(async () => {
      await agent.stop();
      parts.abandon(agent);
    });
    await agent.start();
    await agent.handshake(HANDSHAKE_MS);
    return agent;
  } catch (error) {
    const left = await takeBack(undo.reverse());
    throw asFailure(error, left);
  }
}

/** Ends the grant of a key; one that never had any is as good. */
async function revoke(link: RelayLink, pubkey: string): Promise<void> {
  const grants = await link.call<{ pubkey: string }[]>('listagents');
  if (grants.some(grant => grant.pubkey === pubkey)) await link.call('revokeagent', pubkey);
}

/** Runs every step back, whatever the others do; answers what could not be taken back. */
async function takeBack(steps: (() => Promise<void> | void)[]): Promise<string[]> {
  const left: string[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      left.push((error as Error).message);
    }
  }
  return left;
}

function asFailure(error: unknown, left: string[]): CallFailure {
  const more = left.length === 0 ? '' : ` Some of it could not be taken back: ${left.join('; ')}`;
  if (error instanceof HandshakeFailure) {
    return new CallFailure('failed', 'The program did not start as an agent, so nothing was added.', {
      details: error.message + more,
      fields: { 'program.command': error.message },
    });
  }
  if (error instanceof CallFailure && more === '') return error;
  const details = error instanceof CallFailure ? error.failure.details : undefined;
  return new CallFailure('failed', `The agent was not added: ${(error as Error).message}`, {
    details: `${details ?? ''}${more}`,
  });
}
