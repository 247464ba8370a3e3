// Addresses: everything after the hash, so that banners, tray and links open exactly one thing and back works.

import { useSyncExternalStore } from 'react';
import { type Address, address, parseAddress } from './address.ts';

export type { Address };
export { address };

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
