// Signing grants for agents that run elsewhere, and replacing any agent's grant (seed "Manage > Agents"). A key made
// here is shown to the person once and kept nowhere.

import { decode, nsecEncode } from 'nostr-tools/nip19';
import { generateSecret, signerFrom } from '../../relay/client/signer.ts';
import { KIND } from '../../relay/protocol/kinds.ts';
import { CallFailure } from '../bridge.ts';
import type { GrantDraft } from '../contract/agents.ts';
import type { RelayLink } from '../relay-link.ts';
import { putUserDraft, removeUserDraft } from '../rooms/room-drafts.ts';
import { type FormSurroundings, grantFormTags, previewForm } from './grant-form.ts';
import type { AgentSummary } from './grants.ts';

export type GrantingParts = { link: RelayLink; around: FormSurroundings };

/** A hex key or npub as hex; null for anything else, a secret key above all. */
export function readPublicKey(text: string): string | null {
  const trimmed = text.trim();
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return trimmed.toLowerCase();
  try {
    const decoded = decode(trimmed.replace(/^nostr:/, ''));
    return decoded.type === 'npub' ? decoded.data : null;
  } catch {
    // A typing mistake: the form says so.
    return null;
  }
}

/** Signs the first grant of a key. `key` null makes one; its secret is in the answer and nowhere else. */
export async function grantElsewhere(
  { link, around }: GrantingParts,
  draft: GrantDraft,
  key: string | null,
): Promise<{ pubkey: string; nsec: string | null }> {
  refuseProblems(previewForm(draft, key, around).problems);
  const secret = key === null ? generateSecret() : null;
  const pubkey = secret === null ? (key ?? '') : signerFrom(secret).pubkey;
  await link.publish({ kind: KIND.agentGrant, content: '', tags: grantFormTags(draft, pubkey) });
  const nsec = secret === null ? null : nsecEncode(secret);
  secret?.fill(0);
  try {
    await moveRooms(link, pubkey, [], draft.rooms);
  } catch (error) {
    // The grant stands and its key must not be lost: a room it is not in yet can be mended in the room.
    if (nsec === null) throw error;
  }
  return { pubkey, nsec };
}

/** Replaces the grant `current` by what the form says; what the form does not speak of is kept. */
export async function replaceGrant(
  { link, around }: GrantingParts,
  current: AgentSummary,
  draft: GrantDraft,
): Promise<void> {
  refuseProblems(previewForm(draft, current.pubkey, { ...around, before: current.scope.rooms }).problems);
  const [event] = await link.query([{ ids: [current.event_id] }]);
  const now = Math.floor(Date.now() / 1000);
  await link.publish({
    kind: KIND.agentGrant,
    created_at: Math.max(now, (event?.created_at ?? 0) + 1),
    content: event?.content ?? '',
    tags: grantFormTags(draft, current.pubkey, event?.tags),
  });
  await moveRooms(link, current.pubkey, current.scope.rooms, draft.rooms);
}

/** Lets the agent into rooms its grant has gained and takes it out of those it has lost. Throws when one refused. */
export async function moveRooms(
  link: RelayLink,
  pubkey: string,
  before: readonly string[],
  after: readonly string[],
): Promise<void> {
  const failed: string[] = [];
  const move = async (room: string, draft: Parameters<RelayLink['publish']>[0]) => {
    await link.publish(draft).catch((error: unknown) => {
      failed.push(
        `${room}: ${error instanceof CallFailure ? (error.failure.details ?? error.message) : String(error)}`,
      );
    });
  };
  for (const room of after) if (!before.includes(room)) await move(room, putUserDraft(room, pubkey));
  for (const room of before) if (!after.includes(room)) await move(room, removeUserDraft(room, pubkey));
  if (failed.length === 0) return;
  const message =
    'The grant is signed, but the members of a room could not be changed. Change them in the room.';
  throw new CallFailure('failed', message, { details: failed.join('\n') });
}

function refuseProblems(problems: Record<string, string>): void {
  const first = Object.values(problems)[0];
  if (first !== undefined) throw new CallFailure('invalid', first, { fields: problems });
}
