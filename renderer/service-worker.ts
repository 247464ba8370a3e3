// Banners of the browser shell: shows what the page hands over and takes the presses on it, also when the page is
// hidden. A decision goes straight to main (cases E2, E7, E8); nothing is cached.

import type { Failure, Reply } from '../main/contract/contract.ts';
import type { Banner } from '../main/contract/notices.ts';

declare const self: ServiceWorkerGlobalScope;

type Order = { show?: Banner; close?: string };

self.addEventListener('install', () => void self.skipWaiting());
self.addEventListener('activate', event => event.waitUntil(self.clients.claim()));

self.addEventListener('message', event => {
  event.waitUntil(obey(event.data as Order).then(done => event.ports[0]?.postMessage(done)));
});

/** Does what the page hands over, and says whether it came about: main keeps the true outcome (case E6). */
async function obey(order: Order): Promise<{ ok: boolean; reason?: string }> {
  try {
    if (order.show) await show(order.show);
    if (order.close !== undefined) await close(order.close);
    return { ok: true };
  } catch (error) {
    return { ok: false, reason: String(error) };
  }
}

type ActionOptions = NotificationOptions & { actions?: { action: string; title: string }[] };

async function show(banner: Banner): Promise<void> {
  const options: ActionOptions = {
    body: banner.body,
    tag: banner.tag,
    data: banner,
    actions: banner.actions,
    // An approval stays until it is answered; anything else leaves as the system pleases.
    requireInteraction: banner.approval !== undefined,
  };
  await self.registration.showNotification(banner.title, options);
}

async function close(tag: string): Promise<void> {
  for (const shown of await self.registration.getNotifications({ tag })) shown.close();
}

self.addEventListener('notificationclick', event => {
  // Closed before anything else, so that a second tap has nothing to land on.
  event.notification.close();
  event.waitUntil(pressed(event.action, event.notification.data as Banner));
});

async function pressed(action: string, banner: Banner): Promise<void> {
  if (banner.approval !== undefined && (action === 'approve' || action === 'deny')) {
    await decide(banner, banner.approval, action);
  } else {
    await open(banner.address);
  }
}

async function decide(banner: Banner, id: string, decision: 'approve' | 'deny'): Promise<void> {
  const failure = await post('approvals.decide', { id, decision, from: 'banner' });
  if (!failure) return;
  const answered = failure.kind === 'conflict';
  await show({
    ...banner,
    title: answered
      ? `Already answered: ${banner.title}`
      : `Not ${decision === 'approve' ? 'approved' : 'denied'}: ${banner.title}`,
    body: failure.message,
    actions: [],
  });
}

/** Undefined when main did it; else why not. */
async function post(name: string, args: unknown): Promise<Failure | undefined> {
  try {
    const response = await fetch(new URL(`./bridge/${name}`, self.registration.scope), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(args),
      credentials: 'same-origin',
    });
    const reply = (await response.json()) as Reply<unknown>;
    return reply.ok ? undefined : reply.failure;
  } catch {
    // No program at the other end, or something else answers at its address: to the person it is the same.
    return { kind: 'unavailable', message: 'The program does not answer. Press to open the dashboard.' };
  }
}

async function open(address: string): Promise<void> {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page = windows.find(client => client.focused) ?? windows[0];
  if (!page) {
    await self.clients.openWindow(new URL(`./${address}`, self.registration.scope));
    return;
  }
  page.postMessage({ open: address });
  await page.focus();
}
