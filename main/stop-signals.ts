// SIGINT and SIGTERM: the first asks for an orderly stop, a second one ends at once (design.md, "Commands").

export type StopSignals = {
  /** Resolves when a stop is asked for. */
  readonly asked: Promise<void>;
  isAsked(): boolean;
  /** Asks for it from inside. */
  now(): void;
  done(): void;
};

/**
 * A terminal's interrupt reaches every process of the group, and npm hands the one it got on as well: the same press
 * arrives twice. Only what comes later than this is a second press.
 */
const onePressMs = 500;

export function stopSignals(): StopSignals {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  let first: number | null = null;
  const now = () => {
    first ??= performance.now();
    resolve();
  };
  const heard = (signal: NodeJS.Signals) => {
    if (first !== null && performance.now() - first > onePressMs)
      process.exit(signal === 'SIGINT' ? 130 : 143);
    now();
  };
  const signals: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, heard);
  return {
    asked,
    isAsked: () => first !== null,
    now,
    done() {
      for (const signal of signals) process.off(signal, heard);
    },
  };
}
