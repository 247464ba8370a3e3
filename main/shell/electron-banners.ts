// Banners of the system, with their buttons. Shown means that the system said so.

import type { Banner } from '../contract/notices.ts';
import type { BannerOutcome } from './shell.ts';

/** The part of Electron's Notification that is used. */
export type SystemBanner = {
  // biome-ignore lint/suspicious/noExplicitAny: Electron types each event's listener on its own.
  on(event: any, listener: any): unknown;
  show(): void;
  close(): void;
};
export type BannerOptions = {
  title: string;
  body: string;
  urgency: 'normal' | 'critical';
  timeoutType: 'default' | 'never';
  actions: { type: 'button'; text: string }[];
};

export type BannerActions = {
  make(options: BannerOptions): SystemBanner;
  supported(): boolean;
  decide(approval: string, decision: 'approve' | 'deny'): void;
  open(address: string): void;
};

const shownWithinMs = 3000;

/** Shows and closes banners by their tag; a new one of the same tag takes the old one's place. */
export function createBanners(actions: BannerActions) {
  const shown = new Map<string, SystemBanner>();

  function close(tag: string): void {
    const banner = shown.get(tag);
    shown.delete(tag);
    banner?.close();
  }

  function pressed(banner: Banner, index: number): void {
    close(banner.tag);
    const action = banner.actions[index]?.action;
    if (banner.approval !== undefined && (action === 'approve' || action === 'deny')) {
      actions.decide(banner.approval, action);
    } else actions.open(banner.address);
  }

  return {
    close,
    closeAll() {
      for (const tag of [...shown.keys()]) close(tag);
    },
    show(banner: Banner): Promise<BannerOutcome> {
      if (!actions.supported()) {
        return Promise.resolve({ outcome: 'failed', reason: 'this system shows no banners' });
      }
      close(banner.tag);
      const system = actions.make({
        title: banner.title,
        body: banner.body,
        urgency: banner.approval === undefined ? 'normal' : 'critical',
        timeoutType: banner.approval === undefined ? 'default' : 'never',
        actions: banner.actions.map(({ title }) => ({ type: 'button', text: title })),
      });
      // Held here, or the collector takes the banner's buttons with it.
      shown.set(banner.tag, system);
      return new Promise(done => {
        const timer = setTimeout(() => {
          done({ outcome: 'failed', reason: `the system did not show it within ${shownWithinMs / 1000} s` });
        }, shownWithinMs);
        const over = (outcome: BannerOutcome) => {
          clearTimeout(timer);
          done(outcome);
        };
        system.on('show', () => over({ outcome: 'shown' }));
        system.on('failed', (_event: unknown, reason: string) => over({ outcome: 'failed', reason }));
        system.on('click', () => pressed(banner, -1));
        system.on('action', (details: { actionIndex?: number }, index?: number) =>
          pressed(banner, details?.actionIndex ?? index ?? -1),
        );
        system.show();
      });
    },
  };
}
