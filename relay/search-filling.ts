// Fills the word index behind the writers: a slice at a time, with pauses, so that publishing hardly notices.

import type { Logger } from './context.ts';
import type { Newsroom } from './news.ts';
import type { Policy } from './policy.ts';
import type { SqliteStore } from './store/store.ts';

/** Events a slice, and the pause between two: at most so many events a second. */
const SLICE = 100;
const PAUSE = 20;
/** After a first event others mostly follow. */
const QUIET = 300;

export type SearchFillingParts = { store: SqliteStore; news: Newsroom; policy: () => Policy; log: Logger };

/** Starts it, with what an earlier run left; answers what stops it. */
export function startSearchFilling({ store, news, policy, log }: SearchFillingParts): () => void {
  let timer: NodeJS.Timeout | undefined;
  const after = (pause: number) => {
    timer ??= setTimeout(fill, pause).unref();
  };
  const fill = () => {
    timer = undefined;
    try {
      const mode = policy().features.search;
      if (store.transact(() => store.events.search.advance(mode, SLICE))) after(PAUSE);
    } catch (error) {
      // Searches look through what is not indexed; the next event tries again.
      log.warn({ error: String(error) }, 'The word index could not be filled');
    }
  };
  const stop = news.onEvent(() => after(QUIET));
  after(QUIET);
  return () => {
    stop();
    clearTimeout(timer);
  };
}
