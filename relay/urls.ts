// The addresses the relay answers to (cases F-30, F-31): a request for any other name is not for us, whoever resolves
// that name to this machine, and a page from elsewhere does not speak to us.

import { networkInterfaces } from 'node:os';
import type { Urls } from './context.ts';

export type Bound = {
  /** As asked for: an address, a name, or a wildcard. */
  host: string;
  port: number;
  /** Public address when a proxy stands in front. */
  publicUrl?: string | undefined;
  /** Origins of pages that may speak to us besides those on this machine; `*` for all. */
  origins?: readonly string[] | undefined;
};

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
const WILDCARDS = ['0.0.0.0', '::', '[::]'];
const DEFAULT_PORTS: Record<string, string> = { 'http:': '80', 'ws:': '80', 'https:': '443', 'wss:': '443' };

export function createUrls({ host, port, publicUrl, origins = [] }: Bound): Urls {
  const isWildcard = WILDCARDS.includes(host);
  const own = new Set([...LOOPBACK, bracketed(host)].map(name => `${name}:${port}`));
  const shown = isWildcard ? '127.0.0.1' : bracketed(host);
  const base = publicUrl === undefined ? new URL(`ws://${shown}:${port}/`) : new URL(publicUrl);
  if (publicUrl !== undefined) own.add(authority(base));
  const isOurs = (name: string) => own.has(name) || (isWildcard && isOwnAddress(name, port));
  const isSecure = base.protocol === 'wss:' || base.protocol === 'https:';
  return {
    ws: spelled(base, isSecure ? 'wss' : 'ws'),
    http: spelled(base, isSecure ? 'https' : 'http').replace(/\/$/, ''),
    isOurHost(header) {
      if (header === undefined || !/^[a-z0-9.:[\]-]+$/i.test(header)) return false;
      const name = header.toLowerCase();
      return isOurs(name) || isOurs(`${name}:80`) || isOurs(`${name}:443`);
    },
    isOurUrl(url) {
      return URL.canParse(url) && isOurs(authority(new URL(url)));
    },
    allowsOrigin(origin) {
      if (origin === undefined || origins.includes(origin) || origins.includes('*')) return true;
      if (!URL.canParse(origin)) return false;
      const page = new URL(origin);
      return LOOPBACK.includes(page.hostname) || isOurs(authority(page));
    },
  };
}

/** Lower-case name and port; URL has already taken away a default port. */
function authority(url: URL): string {
  const port = url.port === '' ? (DEFAULT_PORTS[url.protocol] ?? '') : url.port;
  return `${url.hostname.toLowerCase()}:${port}`;
}

function spelled(url: URL, scheme: string): string {
  const path = url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`;
  return `${scheme}://${url.host}${path}`;
}

/** Bound to all interfaces we answer to the addresses they have now; names still need a public URL. */
function isOwnAddress(name: string, port: number): boolean {
  const addresses = Object.values(networkInterfaces()).flatMap(list => list ?? []);
  return addresses.some(({ address }) => `${bracketed(address)}:${port}` === name);
}

function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host.toLowerCase();
}
