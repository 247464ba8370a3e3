// Settings in words: the banner categories, what the browser permits, what came of a banner, where the keys lie.

import type { AppState } from '../../main/contract/app.ts';
import type { NoticeRecord } from '../../main/contract/notices.ts';
import type { StateName } from '../parts/states.ts';

export const CATEGORIES = [
  {
    category: 'approvals',
    label: 'Requests for a decision',
    description: 'An agent waits until you answer.',
  },
  {
    category: 'mentions',
    label: 'Mentions and finished tasks',
    description: 'Somebody names you, or a task you asked for ends.',
  },
  { category: 'replies', label: 'Replies', description: 'Somebody answers what you wrote.' },
  { category: 'messages', label: 'Private messages', description: 'Without their text.' },
  {
    category: 'relay',
    label: 'The relay and agents',
    description: 'An agent gave up, or something needs looking after.',
  },
] as const;

type Permission = { state: StateName | null; words: string };

export const PERMISSION: Readonly<Record<'granted' | 'denied' | 'default' | 'unsupported', Permission>> = {
  granted: { state: 'good', words: 'The browser lets Tiny show banners.' },
  denied: {
    state: 'warning',
    words:
      'The browser refuses banners from Tiny. Allow notifications for this address in the settings of the browser.',
  },
  default: { state: null, words: 'The browser has not been asked yet whether Tiny may show banners.' },
  unsupported: {
    state: null,
    words: 'Banners are shown by the desktop program itself; no permission is needed in this window.',
  },
};

/** What truly came of a banner. */
export function outcomeWords(record: Pick<NoticeRecord, 'outcome' | 'reason'>): string {
  if (record.outcome === 'shown') return record.reason === undefined ? 'Shown.' : `Shown. ${record.reason}`;
  const why = record.reason === undefined ? '' : `: ${record.reason}`;
  return record.outcome === 'suppressed' ? `Not shown${why}` : `Could not be shown${why}`;
}

/** The backend in use, by what it is, never by what was hoped for (case F11). */
export function vaultWords(vault: AppState['vault']): string {
  if (vault.backend === 'keychain') {
    return `${vault.backendName || 'The keychain of this system'}. It holds one key; your keys are files sealed with it.`;
  }
  if (vault.backend === 'passphrase') return 'Files sealed with your passphrase, which is kept nowhere.';
  return 'Nothing yet.';
}
