// What a window of ours may be and do, and which requests, navigations and permissions are refused (Electron's security
// checklist; case F-61). Knows Electron by its types' shapes only, so that each rule is tested without it.

import type { Reply } from '../contract/contract.ts';

/** The dashboard's own address under Electron: a standard, secure scheme that only this program answers. */
export const scheme = 'tiny-app';
export const dashboardOrigin = `${scheme}://dashboard`;

/** Asked for before the app is ready: a scheme with an origin of its own. */
export const privilegedScheme = {
  scheme,
  privileges: { standard: true, secure: true, supportFetchAPI: true, corsEnabled: false, stream: true },
};

/** Every one of these is Electron's safe value, said aloud so that a test sees when one changes. */
export function webPreferences(preload: string, packaged: boolean) {
  return {
    preload,
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    safeDialogs: true,
    disableBlinkFeatures: 'Auxclick',
    devTools: !packaged,
  } as const;
}

/** True for an address of the dashboard itself. */
export function isOurs(address: string): boolean {
  try {
    const { protocol, host } = new URL(address);
    return `${protocol}//${host}` === dashboardOrigin;
  } catch {
    // Not an address at all.
    return false;
  }
}

/** Addresses that may be handed to the system's browser: pages of the web, and nothing that starts a program. */
export function mayOpenOutside(address: string): boolean {
  try {
    const { protocol, username, password } = new URL(address);
    return ['https:', 'http:'].includes(protocol) && username === '' && password === '';
  } catch {
    // Not an address at all.
    return false;
  }
}

/** Copying to the clipboard is all a page of ours needs; everything else, and every other page, is refused. */
export function mayUse(permission: string, address: string): boolean {
  return permission === 'clipboard-sanitized-write' && isOurs(address);
}

export type Frame = { url: string; parent: unknown } | null;

/** Only the top frame of a page of ours may call main. */
export function isOurFrame(frame: Frame): boolean {
  return frame !== null && frame.parent === null && isOurs(frame.url);
}

export const foreignFrame: Reply<never> = {
  ok: false,
  failure: { kind: 'refused', message: 'Only the dashboard may ask this.' },
};
