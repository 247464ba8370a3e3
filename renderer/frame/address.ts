// Reading and writing addresses: everything after the hash. Pure.

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
