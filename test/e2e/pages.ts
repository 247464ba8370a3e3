// What the end-to-end tests do on the pages, in a person's words.

import type { BrowserContext, Page } from 'playwright';

/** The demo agent from the welcome page; ends in the room with it idle. */
export async function addDemoAgent(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add the demo agent' }).click();
  await page.getByPlaceholder('Write in general').waitFor();
  await page.getByRole('navigation', { name: 'Places' }).getByText('Demo agent').waitFor();
}

/** Writes to an agent by completing its name after `@`. */
export async function mention(page: Page, agent: string, text: string): Promise<void> {
  const composer = page.getByPlaceholder('Write in general');
  await composer.click();
  await composer.pressSequentially(`@${agent.slice(0, 3)}`);
  await page.getByRole('listbox', { name: 'People and agents' }).getByText(agent).waitFor();
  await page.keyboard.press('Enter');
  await composer.pressSequentially(text);
  await page.keyboard.press('Enter');
}

/** Goes to an address of the dashboard without loading it anew. */
export async function go(page: Page, address: string): Promise<void> {
  await page.evaluate(to => {
    location.hash = to;
  }, address);
}

/** The newest job card in the room that names this text. */
export function jobCard(page: Page, text: string) {
  return page.getByRole('region', { name: new RegExp(`^Job: .*${text}`) });
}

export type ShownBanner = { title: string; body: string; tag: string; actions: string[] };

/** Banners that the page's service worker shows now. */
export function banners(page: Page): Promise<ShownBanner[]> {
  return page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const shown = await registration.getNotifications();
    return shown.map(one => ({
      title: one.title,
      body: one.body,
      tag: one.tag,
      actions: ((one as unknown as { actions?: { action: string }[] }).actions ?? []).map(
        ({ action }) => action,
      ),
    }));
  });
}

/** Presses a button of a banner the way the system does: as an event inside the service worker. */
export async function pressBanner(context: BrowserContext, tag: string, action: string): Promise<void> {
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  await worker.evaluate(
    async ([shown, press]) => {
      const scope = self as unknown as {
        registration: ServiceWorkerRegistration;
        dispatchEvent(event: Event): boolean;
      };
      const [notification] = await scope.registration.getNotifications({ tag: shown as string });
      if (!notification) throw new Error(`no banner tagged ${shown}`);
      const Press = (
        globalThis as unknown as { NotificationEvent: new (type: string, init: object) => Event }
      ).NotificationEvent;
      scope.dispatchEvent(new Press('notificationclick', { notification, action: press }));
    },
    [tag, action],
  );
}

/** Grants an agent that runs elsewhere in `general`, with a key made by the form; `may` are further boxes. */
export async function grantElsewhere(page: Page, name: string, may: string[] = []): Promise<string> {
  await go(page, '#/agents/new/elsewhere');
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  for (const box of may) await page.getByRole('checkbox', { name: box }).check();
  await page.getByRole('button', { name: 'Sign the grant' }).click();
  const nsec = await page.locator('[data-secret]').textContent();
  await go(page, '#/rooms/general');
  return nsec ?? '';
}
