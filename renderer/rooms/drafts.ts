// What was written and not sent, kept per room and thread until it is.

type Kept = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** The name a draft is kept under: a room, or a thread of it. */
export function draftKey(room: string, root?: string): string {
  return root === undefined ? `draft ${room}` : `draft ${room} ${root}`;
}

/** The draft, or an empty text. Storage may be forbidden: then there is none. */
export function readDraft(storage: Kept, key: string): string {
  try {
    return storage.getItem(key) ?? '';
  } catch {
    // A browser that forbids storage: drafts last as long as the page.
    return '';
  }
}

/** Keeps the draft; an empty one is forgotten. */
export function keepDraft(storage: Kept, key: string, text: string): void {
  try {
    if (text === '') storage.removeItem(key);
    else storage.setItem(key, text);
  } catch {
    // Full or forbidden storage loses a draft, not a message.
  }
}

/** What was refused, put back before what was written since. */
export function putBack(refused: string, since: string): string {
  return since === '' ? refused : `${refused}\n${since}`;
}
