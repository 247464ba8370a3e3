// Banners from the browser: the page's part. The service worker shows them and takes the presses on them; the page
// hands them over, reports what the browser permits, and tells main what a person is looking at (cases E2, E4).

import { useSyncExternalStore } from 'react';
import type { Banner } from '../../main/contract/notices.ts';
import { call, onPush } from '../bridge.ts';
import { go } from './router.ts';

export type BannerPermission = 'granted' | 'denied' | 'default' | 'unsupported';

// Under Electron the page has no address a worker could live at, and main shows banners itself.
const able =
  'serviceWorker' in navigator && 'Notification' in window && window.location.protocol.startsWith('http');

let permission: BannerPermission = able ? Notification.permission : 'unsupported';
const listeners = new Set<() => void>();

/** Main is told once per change; an answer that does not come is told again when the page is looked at. */
function report(): void {
  call('notices.permission', { state: permission }).catch(() => undefined);
}

function checkPermission(): void {
  if (!able || Notification.permission === permission) return;
  permission = Notification.permission;
  for (const listener of listeners) listener();
  report();
}

type Shown = { ok: boolean; reason?: string };

/** Milliseconds a worker has to answer before it counts as not there. */
const WORKER_WITHIN = 2500;

/** Hands the worker something to do and waits for its word that it is done. */
async function toWorker(order: object): Promise<Shown> {
  const registration = await navigator.serviceWorker.ready;
  const worker = registration.active;
  if (!worker) return { ok: false, reason: 'the page has no service worker' };
  const { promise, resolve } = Promise.withResolvers<Shown>();
  const channel = new MessageChannel();
  channel.port1.onmessage = ({ data }) => resolve(data as Shown);
  setTimeout(() => resolve({ ok: false, reason: 'the service worker did not answer' }), WORKER_WITHIN);
  worker.postMessage(order, [channel.port2]);
  const shown = await promise;
  channel.port1.close();
  return shown;
}

async function show(banner: Banner): Promise<void> {
  const shown = await toWorker({ show: banner });
  await call('notices.shown', { tag: banner.tag, ...shown }).catch(() => undefined);
}

/** Asks the browser to permit banners. Only ever from a press: browsers refuse those who ask unasked. */
export async function turnOnBanners(): Promise<void> {
  if (!able) return;
  await Notification.requestPermission();
  checkPermission();
}

function looking(): void {
  checkPermission();
  const focused = document.visibilityState === 'visible' && document.hasFocus();
  call('notices.looking', { address: window.location.hash || '#/', focused }).catch(() => undefined);
}

/** Starts the page's part of banners. Called once. */
export function startBanners(): void {
  for (const event of ['hashchange', 'focus', 'blur']) window.addEventListener(event, looking);
  document.addEventListener('visibilitychange', looking);
  looking();
  onPush('notices.open', ({ address }) => {
    window.focus();
    go(address);
  });
  if (!able) return;
  report();
  void navigator.serviceWorker.register('./service-worker.js');
  navigator.serviceWorker.addEventListener('message', ({ data }) => {
    if (typeof data?.open === 'string') go(data.open);
  });
  onPush('notices.show', banner => void show(banner));
  onPush('notices.close', ({ tag }) => void toWorker({ close: tag }));
}

/** What the browser permits, kept up to date. */
export function useBannerPermission(): BannerPermission {
  return useSyncExternalStore(
    listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => permission,
  );
}
