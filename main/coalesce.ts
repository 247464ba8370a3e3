// Work that many causes ask for and one run answers: a refresh after a burst of events, a file after many changes.

export type Coalesced = {
  /** Asks for a run. Asked while one is under way, it runs once more afterwards. */
  ask(): void;
  /** Runs what was asked for now; resolves when nothing is left to do. */
  settle(): Promise<void>;
  close(): void;
};

/** `task` runs `delay` ms after it was asked for, never twice at once. What it throws goes to `failed`. */
export function coalesce(
  delay: number,
  task: () => Promise<void> | void,
  failed: (error: unknown) => void,
): Coalesced {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let again = false;
  let closed = false;

  const run = async (): Promise<void> => {
    timer = null;
    try {
      await task();
    } catch (error) {
      failed(error);
    }
    running = null;
    if (!again || closed) return;
    again = false;
    running = run();
    await running;
  };
  const start = () => {
    running = run();
    return running;
  };
  return {
    ask() {
      if (closed || timer) return;
      if (running) again = true;
      else timer = setTimeout(() => void start(), delay);
    },
    async settle() {
      if (timer) {
        clearTimeout(timer);
        timer = null;
        await start();
      } else await running;
    },
    close() {
      closed = true;
      if (timer) clearTimeout(timer);
      timer = null;
    },
  };
}
