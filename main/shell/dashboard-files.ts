// The built dashboard as files, with the headers both shells give it: a strict policy, nothing from elsewhere, nothing
// embedded elsewhere.

import { createReadStream, statSync } from 'node:fs';
import { extname, join, normalize, sep } from 'node:path';

/**
 * What a page may load and do. Styles may be inline because Mantine writes its theme's variables into a style element;
 * scripts may not. Pictures of remote messages are not fetched: an address in a message must not tell its author when
 * it was read.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join('; ');

export const securityHeaders: Record<string, string> = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), usb=(), serial=(), hid=(), payment=()',
};

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};

export type DashboardFile = { path: string; size: number; headers: Record<string, string> };

/** The file for a path of the address, or null: outside the folder, of a type we do not ship, or not there. */
export function dashboardFile(folder: string, pathname: string): DashboardFile | null {
  let name: string;
  try {
    name = decodeURIComponent(pathname === '/' ? '/index.html' : pathname);
  } catch {
    // A stray percent sign: no file of ours has such a name.
    return null;
  }
  const type = types[extname(name)];
  const path = normalize(join(folder, name));
  if (type === undefined || name.includes('\0') || !path.startsWith(folder + sep)) return null;
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile()) return null;
  const kept = name.startsWith('/assets/');
  return {
    path,
    size: stat.size,
    headers: {
      'content-type': type,
      // Names under assets/ change with their content; the page and the service worker keep theirs.
      'cache-control': kept ? 'private, max-age=31536000, immutable' : 'no-cache',
      ...(name === '/service-worker.js' ? { 'service-worker-allowed': '/' } : {}),
    },
  };
}

export function readDashboardFile(file: DashboardFile) {
  return createReadStream(file.path);
}
