// The one place that decides whether a banner is shown (spec/interactions-and-approvals.md section 6; cases E4 E6 E7
// E8 E9): category switches, the card that is already on screen, floods, and one truthful record of what came of each.

import type { Bridge } from './bridge.ts';
import type { Handlers, PushName, PushValue } from './contract/features.ts';
import type { Banner, NoticeRecord } from './contract/notices.ts';
import type { Settings } from './contract/settings.ts';
import type { Logger } from './logs.ts';
import type { BannerOutcome, Shell } from './shell/shell.ts';

export type Notices = {
  handlers: Handlers<'notices'>;
  /** Shows a banner, or holds it back; answers the record of what came of it. Never rejects. */
  raise(banner: Banner): Promise<NoticeRecord>;
  /** A request was answered, withdrawn or expired: its banner goes, wherever it is. */
  settled(approval: string): void;
  /** A button on a banner or in the tray was pressed. */
  pressed(approval: string, decision: 'approve' | 'deny', from: 'banner' | 'tray'): Promise<void>;
  /** What a page said about itself no longer holds. */
  pageGone(page: string): void;
};

export type NoticesParts = {
  shell(): Shell;
  settings(): Settings;
  push<N extends PushName>(name: N, value: PushValue<N>): void;
  /** Decisions from banners take the same door as those from the dashboard. */
  bridge: Pick<Bridge, 'call'>;
  log: Logger;
  now?: () => number;
};

/** One banner a tag within this time; what comes meanwhile is counted on it. */
const coalesceMs = 30_000;
/** More open requests than this share one banner. */
const mostBanners = 5;
const kept = 200;

/** Banners for the whole program. */
export function createNotices(parts: NoticesParts): Notices {
  const { shell, settings, push, bridge, log, now = Date.now } = parts;
  const records: NoticeRecord[] = [];
  const looking = new Map<string, string>();
  const recent = new Map<string, { at: number; more: number }>();
  const open = new Set<string>();
  const settledIds = new Set<string>();
  const inFlight = new Set<string>();

  function heldBack(banner: Banner): string | null {
    if (!settings().notices[banner.category]) return `banners for ${banner.category} are switched off`;
    if (banner.approval !== undefined && settledIds.has(banner.approval)) return 'it was already answered';
    if ([...looking.values()].includes(banner.address)) return 'it is on screen';
    return null;
  }

  /** What is really shown: one banner for many requests, or with the count of those it stands for. */
  function shaped(banner: Banner): Banner {
    if (banner.approval !== undefined) {
      if (open.size < mostBanners || open.has(banner.approval)) return banner;
      const title = `${open.size + 1} requests wait for you`;
      return {
        tag: 'approvals',
        category: 'approvals',
        title,
        body: banner.title,
        address: '#/approvals',
        actions: [],
      };
    }
    const earlier = recent.get(banner.tag);
    const more = earlier && now() - earlier.at < coalesceMs ? earlier.more + 1 : 0;
    recent.delete(banner.tag);
    recent.set(banner.tag, { at: more > 0 && earlier ? earlier.at : now(), more });
    const [oldest] = recent.keys();
    if (recent.size > kept && oldest !== undefined) recent.delete(oldest);
    return more > 0 ? { ...banner, title: `${banner.title} (+${more})` } : banner;
  }

  async function raise(banner: Banner): Promise<NoticeRecord> {
    const reason = heldBack(banner);
    if (reason !== null) return recorded(banner, { outcome: 'suppressed', reason });
    const shown = shaped(banner);
    if (banner.approval !== undefined) open.add(banner.approval);
    let outcome: BannerOutcome;
    try {
      outcome = await shell().showBanner(shown);
    } catch (error) {
      outcome = { outcome: 'failed', reason: error instanceof Error ? error.message : String(error) };
    }
    // Answered while the banner was on its way: it must not stay behind.
    if (banner.approval !== undefined && settledIds.has(banner.approval)) shell().closeBanner(banner.tag);
    return recorded(shown, outcome);
  }

  function recorded(banner: Banner, outcome: BannerOutcome): NoticeRecord {
    const record: NoticeRecord = { ...banner, at: now(), ...outcome };
    if (records.push(record) > kept) records.shift();
    if (record.outcome === 'failed') log.warn(`banner "${banner.tag}" failed: ${record.reason}`);
    push('notices.recorded', record);
    return record;
  }

  function settled(approval: string): void {
    if (settledIds.has(approval)) return;
    settledIds.add(approval);
    const [oldest] = settledIds;
    if (settledIds.size > 5000 && oldest !== undefined) settledIds.delete(oldest);
    open.delete(approval);
    shell().closeBanner(approvalTag(approval));
    if (open.size <= mostBanners) shell().closeBanner('approvals');
  }

  async function pressed(
    approval: string,
    decision: 'approve' | 'deny',
    from: 'banner' | 'tray',
  ): Promise<void> {
    const address = `#/approvals/${approval}`;
    if (decision === 'approve' && shell().locked()) {
      // Whoever stands before a locked screen is not known to be the person.
      await shell().open(address);
      return;
    }
    // The first press counts; a second one while it is on its way changes nothing.
    if (inFlight.has(approval)) return;
    inFlight.add(approval);
    shell().closeBanner(approvalTag(approval));
    const reply = await bridge.call('approvals.decide', { id: approval, decision, from }, { page: from });
    inFlight.delete(approval);
    if (reply.ok) {
      settled(approval);
      return;
    }
    await raise({
      tag: `${approvalTag(approval)}-answer`,
      category: 'approvals',
      title: reply.failure.kind === 'conflict' ? 'Already answered' : 'Your answer was not taken',
      body: reply.failure.message,
      address,
      actions: [],
    });
  }

  return {
    raise,
    settled,
    pressed,
    pageGone: page => void looking.delete(page),
    handlers: {
      list: () => records,
      test: () =>
        raise({
          tag: 'test',
          category: 'approvals',
          title: 'This is how a request will look',
          body: 'It took the same way as a real one: switches, what is on screen, and your system.',
          address: '#/approvals',
          actions: [],
        }),
      looking({ address, focused }, { page }) {
        if (focused) looking.set(page, address);
        else looking.delete(page);
        return {};
      },
      permission({ state }, { page }) {
        shell().report(page, { permission: state });
        return {};
      },
      shown({ tag, ok, reason }, { page }) {
        shell().report(page, { tag, shown: ok, ...(reason === undefined ? {} : { reason }) });
        return {};
      },
    },
  };
}

/** Tag of the banner of a request: one banner a request, and it can be closed by the request's id. */
export function approvalTag(approval: string): string {
  return `approval-${approval}`;
}
