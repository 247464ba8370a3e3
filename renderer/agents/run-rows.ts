// A run as rows of verb, object and outcome: reads recede, failures rise (look.md, "The agent page").

import type { RunView } from '../../main/contract/agents.ts';
import type { StateName } from '../parts/states.ts';

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

/** The run's own state: its ending once ended, else its phase. */
export function runState(run: Pick<RunView, 'phase' | 'ending'>): StateName {
  if (run.ending !== undefined) return run.ending;
  return run.phase === 'ended' ? 'stopped' : run.phase;
}
