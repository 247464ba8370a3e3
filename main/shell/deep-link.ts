// `tiny:` links from outside: each names a place in the dashboard, and nothing else. They come from anywhere, so only
// what looks exactly like one of our addresses is taken.

const place =
  /^tiny:(?:\/\/)?((?:approvals|rooms|agents|jobs|settings|health)(?:\/[a-z0-9_-]{1,64}){0,2})\/?$/;

/** `#/approvals/<id>` for `tiny:approvals/<id>`; null for anything else. */
export function addressOf(link: string): string | null {
  const path = place.exec(link)?.[1];
  return path === undefined ? null : `#/${path}`;
}

/** The address of the first link among a command line's words; empty without one. */
export function addressIn(argv: string[]): string {
  for (const word of argv) {
    const address = addressOf(word);
    if (address !== null) return address;
  }
  return '';
}
