// Where a POST may go (spec/callbacks.md section 3): which URLs may be registered, and which addresses a name may lead
// to at the moment of the POST. The connection is then made to those addresses and to no other.

import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import type { Parsed } from '../protocol/reasons.ts';
import { classOfAddress } from './address.ts';

/** `public` is the default; `loopback` allows this machine as well, for development (policy `callbackTargets`). */
export type TargetRule = 'public' | 'loopback';

/** A usable URL. `host` is what others are shown: name and port, without path. */
export type Target = { url: string; host: string };

export type Address = { address: string; family: 4 | 6 };
/** All addresses of a name; rejects when there are none. */
export type Resolver = (hostname: string) => Promise<Address[]>;

const MAX_BYTES = 2048;
/** Names that lead to this machine or network by convention, whatever a resolver says. */
const LOCAL_NAME = /(^|\.)(localhost|local|internal|home\.arpa|onion)$/;

/** Reads a callback URL; the refusal starts `invalid: callback url`. */
export function parseTarget(input: unknown, rule: TargetRule): Parsed<Target> {
  if (typeof input !== 'string') return invalid('must be a text');
  const text = input.trim();
  if (Buffer.byteLength(text) > MAX_BYTES) return invalid(`must be at most ${MAX_BYTES} bytes`);
  // The parser would drop tabs and line breaks and turn backslashes round: what is shown must be what is used.
  if (/[\s\\\u0000-\u001f\u007f]/.test(text))
    return invalid('must not hold spaces, control characters or backslashes');
  if (text.includes('#')) return invalid('must not have a fragment');
  if (!URL.canParse(text)) return invalid('is not a URL');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return invalid('must use https');
  if (url.username !== '' || url.password !== '' || /^[a-z]+:\/*[^/?]*@/i.test(text)) {
    return invalid('must not carry a user name or password');
  }
  const kind = kindOfHost(hostnameOf(url));
  if (kind === 'special' || (kind === 'loopback' && rule !== 'loopback'))
    return invalid('must name a public host');
  if (url.protocol === 'http:' && kind !== 'loopback') return invalid('must use https');
  return { ok: true, value: { url: url.href, host: url.host } };
}

/** The host of a URL without the brackets of IPv6 and without a dot at the end. */
export function hostnameOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
}

function kindOfHost(hostname: string): 'public' | 'loopback' | 'special' {
  // The URL parser has already turned every spelling of an IPv4 address into four decimal numbers.
  if (/^[\d.]+$/.test(hostname) || hostname.includes(':')) return classOfAddress(hostname);
  if (hostname === 'localhost') return 'loopback';
  return !hostname.includes('.') || LOCAL_NAME.test(hostname) ? 'special' : 'public';
}

export const systemResolver: Resolver = async hostname => {
  const found = await lookup(hostname, { all: true, verbatim: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};

/** The addresses a URL may be reached at now, or why it may not: one forbidden address spoils them all. */
export async function allowedAddresses(
  target: URL,
  rule: TargetRule,
  resolve: Resolver,
): Promise<{ addresses: Address[] } | { reason: string }> {
  const parsed = parseTarget(target.href, rule);
  if (!parsed.ok) return { reason: 'the URL is not allowed any more' };
  const hostname = hostnameOf(target);
  const literal = literalAddress(hostname);
  const addresses = literal === null ? await resolve(hostname) : [literal];
  if (addresses.length === 0) return { reason: 'the host has no address' };
  for (const { address } of addresses) {
    const kind = classOfAddress(address);
    const allowed =
      kind === 'public' ? target.protocol === 'https:' : kind === 'loopback' && rule === 'loopback';
    if (!allowed) return { reason: `the host leads to ${address}, which is not allowed` };
  }
  return { addresses };
}

/** A lookup for a socket that knows these addresses and no others. */
export function fixedLookup(addresses: readonly Address[]): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  };
}

function literalAddress(hostname: string): Address | null {
  if (hostname.includes(':')) return { address: hostname, family: 6 };
  return /^[\d.]+$/.test(hostname) ? { address: hostname, family: 4 } : null;
}

function invalid(text: string): { ok: false; refusal: string } {
  return { ok: false, refusal: `invalid: callback url ${text}` };
}
