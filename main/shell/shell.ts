// What the program needs of the desktop it runs on. Two implementations: electron.ts and browser.ts. Nothing else
// may ask which of them is in use.

import type { PushName, PushValue } from '../contract/features.ts';
import type { Banner } from '../contract/notices.ts';

/** What came of showing a banner. */
export type BannerOutcome = { outcome: 'shown' } | { outcome: 'suppressed' | 'failed'; reason: string };

/** What a page says about banners: whether it may show them, and what became of one it was given. */
export type PageReport =
  | { permission: 'granted' | 'denied' | 'default' | 'unsupported' }
  | { tag: string; shown: boolean; reason?: string };

export type TrayState = 'idle' | 'working' | 'waiting' | 'problem';
export type TrayModel = {
  state: TrayState;
  tooltip: string;
  /** At most five, newest first. */
  waiting: { id: string; title: string; whole: string }[];
  running: { pubkey: string; name: string; since: number; what: string }[];
};

/** What the person did outside the dashboard's page. */
export type ShellEvents = {
  /** A page came or went: what was known about it no longer holds. */
  onPageGone(page: string): void;
  /** A button on a banner or in the tray. */
  onDecision(approval: string, decision: 'approve' | 'deny', from: 'banner' | 'tray'): void;
  onQuit(): void;
  onPower(event: 'suspend' | 'resume' | 'lock' | 'unlock'): void;
  onTrayCommand(command: 'pause-all' | 'resume-all'): void;
};

export type Shell = {
  readonly name: 'electron' | 'browser';
  /** Where the dashboard answers; null when it has no address of its own (Electron). */
  readonly dashboard: string | null;
  /** Opens the dashboard or brings it forward, at an address like `#/approvals/<id>`. */
  open(address?: string): Promise<void>;
  push<N extends PushName>(name: N, value: PushValue<N>): void;
  showBanner(banner: Banner): Promise<BannerOutcome>;
  closeBanner(tag: string): void;
  /** A page's report on banners, as the bridge heard it. */
  report(page: string, report: PageReport): void;
  setTray(model: TrayModel): void;
  setBadge(count: number): void;
  loginItem: { get(): boolean; set(on: boolean): void } | null;
  reveal(path: string): void;
  /** True when the session is known to be locked: approving then needs the page. */
  locked(): boolean;
  close(): Promise<void>;
};
