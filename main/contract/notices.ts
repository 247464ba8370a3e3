// Banners: what was shown, what was held back and why, and the buttons on them.

import { z } from 'zod';
import { feature, hex64, millis, nothing } from './contract.ts';
import { noticeCategory } from './settings.ts';

/** A banner as the shell shows it. `tag` replaces an earlier one of the same tag. */
export const banner = z.object({
  tag: z.string(),
  category: noticeCategory,
  title: z.string(),
  body: z.string(),
  /** Address in the dashboard a click opens, like `#/approvals/<id>`. */
  address: z.string(),
  actions: z.array(z.object({ action: z.enum(['approve', 'deny', 'reply']), title: z.string() })),
  approval: hex64.optional(),
});
export type Banner = z.infer<typeof banner>;

export const noticeRecord = banner.extend({
  at: millis,
  outcome: z.enum(['shown', 'suppressed', 'failed']),
  reason: z.string().optional(),
});
export type NoticeRecord = z.infer<typeof noticeRecord>;

export const notices = feature({
  calls: {
    list: { args: nothing, result: z.array(noticeRecord) },
    /** Sends one through the very path real events take and answers what came of it. */
    test: { args: nothing, result: noticeRecord },
    /** The page tells what is on screen and whether it has focus, so that its own card raises no banner. */
    looking: { args: z.object({ address: z.string(), focused: z.boolean() }), result: nothing },
    /** The page tells whether the browser lets us show banners. */
    permission: {
      args: z.object({ state: z.enum(['granted', 'denied', 'default', 'unsupported']) }),
      result: nothing,
    },
    /** The page's answer to `show`: the service worker has shown it, or why it could not. */
    shown: {
      args: z.object({ tag: z.string(), ok: z.boolean(), reason: z.string().max(500).optional() }),
      result: nothing,
    },
  },
  pushes: {
    /** Browser shell only: the page's service worker shows it. */
    show: banner,
    close: z.object({ tag: z.string() }),
    open: z.object({ address: z.string() }),
    recorded: noticeRecord,
  },
});
