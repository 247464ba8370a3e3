// The browser shell: the dashboard on 127.0.0.1 in the person's own browser. Banners are Web Notifications of the
// page's service worker: main hands one to the open pages and believes it shown when a page says so.

import type { Bridge } from '../bridge.ts';
import type { Logger } from '../logs.ts';
import { startBrowserServer } from './browser-server.ts';
import { openInBrowser, revealPath } from './open-outside.ts';
import { createPageStreams } from './page-streams.ts';
import type { BannerOutcome, PageReport, Shell, ShellEvents } from './shell.ts';

export type BrowserShellOptions = {
  bridge: Bridge;
  events: ShellEvents;
  log: Logger;
  /** The built dashboard. */
  folder: string;
  /** 0 picks one. */
  port: number;
  /** Milliseconds a page has to say that it showed a banner. */
  bannerWithin?: number;
};

/** Starts the server and answers the shell. Rejects when the port is taken. */
export async function startBrowserShell(options: BrowserShellOptions): Promise<Shell> {
  const { bridge, events, log, folder, port, bannerWithin = 3000 } = options;
  const permissions = new Map<string, string>();
  const asked = new Map<string, (outcome: BannerOutcome) => void>();
  const streams = createPageStreams(page => events.onPageGone(page));
  const server = await startBrowserServer({ bridge, streams, log, folder, port });
  const origin = `http://127.0.0.1:${server.port}`;
  const dashboard = `${origin}/?token=${server.access.token}`;

  async function showBanner(banner: Parameters<Shell['showBanner']>[0]): Promise<BannerOutcome> {
    if (streams.count() === 0) return { outcome: 'failed', reason: 'no page of the dashboard is open' };
    const states = [...permissions.values()];
    if (!states.includes('granted')) {
      const reason = states.includes('denied')
        ? 'the browser does not allow banners for this page'
        : 'the page has not been given leave to show banners';
      return { outcome: 'suppressed', reason };
    }
    const { promise, resolve } = Promise.withResolvers<BannerOutcome>();
    asked.get(banner.tag)?.({ outcome: 'suppressed', reason: 'a newer one took its place' });
    asked.set(banner.tag, resolve);
    streams.push('notices.show', banner);
    const timer = setTimeout(() => {
      resolve({
        outcome: 'failed',
        reason: `no page said within ${bannerWithin / 1000} s that it was shown`,
      });
    }, bannerWithin);
    const outcome = await promise;
    clearTimeout(timer);
    if (asked.get(banner.tag) === resolve) asked.delete(banner.tag);
    return outcome;
  }

  return {
    name: 'browser',
    dashboard,
    async open(address = '') {
      if (streams.count() > 0 && address) {
        streams.push('notices.open', { address });
        return;
      }
      await openInBrowser(dashboard + address, log);
    },
    push: (name, value) => streams.push(name, value),
    showBanner,
    closeBanner: tag => streams.push('notices.close', { tag }),
    report(page, report) {
      if ('permission' in report) {
        // Kept when the page's stream breaks, because it comes back; the oldest go so that reloads do not add up.
        permissions.delete(page);
        permissions.set(page, report.permission);
        const [oldest] = permissions.keys();
        if (permissions.size > 64 && oldest !== undefined) permissions.delete(oldest);
      } else asked.get(report.tag)?.(outcomeOf(report));
    },
    // A browser has neither; the page's own title carries the count.
    setTray() {},
    setBadge() {},
    loginItem: null,
    reveal: path => void revealPath(path, log),
    // A page is only ever seen in an unlocked session, and the browser does not say.
    locked: () => false,
    async close() {
      streams.close();
      await server.close();
    },
  };
}

function outcomeOf(report: Extract<PageReport, { tag: string }>): BannerOutcome {
  if (report.shown) return { outcome: 'shown' };
  return { outcome: 'failed', reason: report.reason ?? 'the page could not show it' };
}
