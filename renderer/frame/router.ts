// Addresses: everything after the hash, so that banners, tray and links open exactly one thing and back works.

import { useSyncExternalStore } from 'react';

/** An address in parts: `#/rooms/general/<root>` is `['rooms', 'general', '<root>']`. */
export type Address = readonly string[];

/** Reads an address; anything that is none is the empty one. */
export function parseAddress(hash: string): Address {
  if (!hash.startsWith('#/')) return [];
  return hash
    .slice(2)
    .split('/')
    .filter(part => part !== '')
    .map(part => {
      try {
        return decodeURIComponent(part);
      } catch {
        // A stray % from outside: the text as it stands is what was meant.
        return part;
      }
    });
}

/** Writes an address from its parts. */
export function address(...parts: string[]): string {
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}

let current = parseAddress(window.location.hash);
let currentHash = window.location.hash;

function read(): Address {
  if (window.location.hash !== currentHash) {
    currentHash = window.location.hash;
    current = parseAddress(currentHash);
  }
  return current;
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

/** Where the dashboard is. */
export function useAddress(): Address {
  return useSyncExternalStore(subscribe, read);
}

/** Goes to an address, as a new step in the history. */
export function go(to: string): void {
  window.location.hash = to;
}

/** Goes to an address in place of the present one, so that back does not return here. */
export function goInstead(to: string): void {
  window.location.replace(to);
}
