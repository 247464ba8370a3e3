// What the program is told: the prompt of a batch, and before it the thread so far when the program does not
// remember it.

import type { Filter, NostrEvent } from '../../relay/protocol/event.ts';
import { KIND } from '../../relay/protocol/kinds.ts';
import { tagValue } from '../../relay/protocol/tags.ts';
import { cut } from '../text.ts';
import type { ActiveRun } from './journal.ts';

const MAX_PROMPT = 60_000;
const MAX_BACKGROUND = 12_000;
const MAX_MESSAGE = 2_000;
const MESSAGES = 20;

/**
 * One line that names the room, then author, id and text of each message. The line before each text is
 * `From <author>, message <id>:`, which programs may look for.
 */
export function promptOf(run: Pick<ActiveRun, 'room' | 'items'>): string {
  const [first] = run.items;
  const intro =
    first?.type === 'request'
      ? `You are asked to do a task in the room "${run.room}".`
      : `You were mentioned in the room "${run.room}". Your answer is posted there.`;
  const messages = run.items.map(item => {
    const subject = item.subject ? `${item.subject}\n\n` : '';
    return `From ${item.author}, message ${item.event}:\n${subject}${item.prompt}`;
  });
  return cut([intro, ...messages].join('\n\n'), MAX_PROMPT);
}

type Query = (filters: Filter[], options: { timeoutMs: number }) => Promise<NostrEvent[]>;

/** The newest messages of the thread before this batch, oldest first; empty when the thread starts here. */
export async function backgroundOf(run: ActiveRun, query: Query): Promise<string> {
  const asked = new Set(run.items.map(item => item.event));
  if (asked.has(run.root)) return '';
  const kinds = [KIND.chat, KIND.thread, KIND.threadReply];
  const inRoom = { kinds, '#h': [run.room] };
  const found = await query(
    [
      { ...inRoom, ids: [run.root] },
      { ...inRoom, '#e': [run.root], limit: MESSAGES * 2 },
    ],
    { timeoutMs: 5_000 },
  );
  const lines = found
    .filter(event => !asked.has(event.id) && tagValue(event, 'request') === undefined)
    .slice(0, MESSAGES)
    .reverse()
    .map(event => `${event.pubkey}: ${cut(event.content, MAX_MESSAGE)}`);
  if (lines.length === 0) return '';
  return cut(`The thread so far, oldest first:\n\n${lines.join('\n\n')}`, MAX_BACKGROUND);
}
