// What pages tell the frame: the title of what is shown, and that the menu is wanted.

import { useSyncExternalStore } from 'react';

type FrameState = { title: string; sidebar: boolean; shortcuts: boolean };

let state: FrameState = { title: '', sidebar: false, shortcuts: false };
const listeners = new Set<() => void>();

function change(next: Partial<FrameState>): void {
  state = { ...state, ...next };
  for (const listener of listeners) listener();
}

/** Names what is on screen, for the window's title. */
export function setPageTitle(title: string): void {
  if (title !== state.title) change({ title });
}

/** Opens the sidebar where it is a drawer. */
export function openSidebar(): void {
  change({ sidebar: true });
}

export function closeSidebar(): void {
  if (state.sidebar) change({ sidebar: false });
}

/** Opens or closes the sheet of shortcuts. */
export function showShortcuts(open: boolean): void {
  change({ shortcuts: open });
}

export function useFrameState(): FrameState {
  return useSyncExternalStore(
    listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
}
