// How long work and questions may take, and what becomes of the work when nobody answers (case D16). A supervisor may
// change it while the runner lives; what is under way keeps what it began with.

export type RunLimits = {
  /** The hard limit of a run, in ms. */
  timeoutMs: number;
  /** How long a permission prompt waits, in ms; never longer than its run. */
  promptMs: number;
  /** The action alone is refused, or the job is ended with it. */
  onExpiry: 'refuse' | 'stop';
};
