// The working folder an agent gets when the person names none: its own, below the program's home, where main makes it.

import { folderName } from './draft.ts';

/** `home` as main says it; the separator is the one that stands in it. */
export function workFolder(home: string, name: string): string {
  const separator = home.includes('\\') && !home.includes('/') ? '\\' : '/';
  return [home.replace(/[\\/]+$/, ''), 'work', folderName(name)].join(separator);
}
