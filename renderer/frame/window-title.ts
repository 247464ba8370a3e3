// The window's title and icon: what is shown, and how much waits.

import { useEffect } from 'react';

const BADGE = '<circle cx="23" cy="9" r="9" fill="#b3261e"/>';
const PLAIN =
  '<rect width="32" height="32" rx="8" fill="#4652c8"/><path d="M8 10.5h16M16 10.5V23" stroke="#fff" stroke-width="3.5" stroke-linecap="round" fill="none"/>';

/** The icon with a badge that carries the count, as a data address. */
function iconWith(count: number): string {
  const text = count > 9 ? '9+' : String(count);
  const label = `<text x="23" y="13.5" font-family="sans-serif" font-size="13" font-weight="700" text-anchor="middle" fill="#fff">${text}</text>`;
  const inside = count > 0 ? `${PLAIN}${BADGE}${label}` : PLAIN;
  return `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${inside}</svg>`)}`;
}

/** "(2) general - Tiny"; the count alone where nothing has a name yet. */
export function windowTitle(page: string, waiting: number): string {
  const name = page === '' ? 'Tiny' : `${page} - Tiny`;
  return waiting > 0 ? `(${waiting}) ${name}` : name;
}

export function useWindowTitle(page: string, waiting: number): void {
  useEffect(() => {
    document.title = windowTitle(page, waiting);
  }, [page, waiting]);
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (icon) icon.href = iconWith(waiting);
  }, [waiting]);
}
