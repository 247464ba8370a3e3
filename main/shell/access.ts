// Who may speak to the dashboard's address (cases F-30 F-31 F-33): the Host must be one of ours, the token of this
// start is exchanged for a cookie, and whatever is not a plain GET must come from our own pages.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export type Refusal = { status: 401 | 403 | 421; words: string };

export type Access = {
  /** Made anew at each start. In the address a person opens once, never in a log. */
  readonly token: string;
  /** 421 for a Host that is not ours, before any other work. */
  host(request: IncomingMessage): Refusal | null;
  /** 403 when the request was made by a page of another origin. */
  origin(request: IncomingMessage): Refusal | null;
  /** 401 without the cookie of this start. */
  session(request: IncomingMessage): Refusal | null;
  /** True when this is the token of this start; compared in constant time. */
  isToken(candidate: string): boolean;
  /** Set-Cookie of a session. */
  readonly cookie: string;
};

/** Access to a server that listens on `port` of 127.0.0.1. */
export function createAccess(port: number): Access {
  const token = randomBytes(32).toString('base64url');
  // The cookie is not the token: what is in an address or a history opens no session by itself later.
  const session = randomBytes(32).toString('base64url');
  // Cookies know no ports: two desktops side by side must not take each other's away.
  const name = `tiny-session-${port}`;
  const hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`]);

  return {
    token,
    host({ headers }) {
      if (headers.host !== undefined && hosts.has(headers.host)) return null;
      return { status: 421, words: 'This address is not one the dashboard answers to.' };
    },
    origin({ headers }) {
      if (headers.origin === `http://${headers.host}`) return null;
      return { status: 403, words: 'Only pages of the dashboard may ask this.' };
    },
    session({ headers }) {
      const given = cookieIn(headers.cookie, name);
      if (given !== undefined && same(given, session)) return null;
      return { status: 401, words: 'Open the dashboard from the program.' };
    },
    isToken: candidate => same(candidate, token),
    cookie: `${name}=${session}; Path=/; HttpOnly; SameSite=Strict`,
  };
}

function cookieIn(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

// Hashing first makes the lengths equal, so that not even the length of a guess shows in the time.
function same(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
