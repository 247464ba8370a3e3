// A run as rows of verb, object and outcome: reads recede, failures rise (look.md, "The agent page").

import type { RunView } from '../../main/contract/agents.ts';
import type { StateLook } from './agent-words.ts';

export type Step = RunView['activity'][number];
export type RowWeight = 'quiet' | 'plain' | 'loud';
export type StepGroup =
  | { kind: 'step'; step: Step; weight: RowWeight }
  | { kind: 'reads'; key: string; steps: Step[] };

const READS = new Set(['read', 'search', 'fetch', 'think', 'list']);

/** How much a step asks for the reader's eye. */
export function weightOf(step: Pick<Step, 'kind' | 'outcome'>): RowWeight {
  if (step.outcome === 'failed') return 'loud';
  return READS.has(step.kind) && step.outcome !== 'running' && step.outcome !== 'pending' ? 'quiet' : 'plain';
}

/** Steps in order; three or more finished reads in a row become one row that can be opened. */
export function groupSteps(steps: readonly Step[]): StepGroup[] {
  const groups: StepGroup[] = [];
  let reads: Step[] = [];
  const flush = () => {
    const first = reads[0];
    if (reads.length >= 3 && first !== undefined) groups.push({ kind: 'reads', key: first.id, steps: reads });
    else for (const step of reads) groups.push({ kind: 'step', step, weight: 'quiet' });
    reads = [];
  };
  for (const step of steps) {
    const weight = weightOf(step);
    if (weight === 'quiet') reads.push(step);
    else {
      flush();
      groups.push({ kind: 'step', step, weight });
    }
  }
  flush();
  return groups;
}

const ENDINGS: Record<NonNullable<RunView['ending']>, { word: string; look: StateLook }> = {
  done: { word: 'done', look: 'done' },
  failed: { word: 'failed', look: 'failed' },
  cancelled: { word: 'cancelled', look: 'paused' },
  'timed-out': { word: 'ran out of time', look: 'failed' },
  interrupted: { word: 'interrupted', look: 'failed' },
};

/** The run's own state in one word: an ending once ended, else its phase. */
export function runWord(run: Pick<RunView, 'phase' | 'ending'>): { word: string; look: StateLook } {
  if (run.ending !== undefined) return ENDINGS[run.ending];
  if (run.phase === 'waiting') return { word: 'waiting for you', look: 'waiting' };
  if (run.phase === 'accepted') return { word: 'accepted', look: 'running' };
  return run.phase === 'running' ? { word: 'running', look: 'running' } : { word: 'ended', look: 'paused' };
}
