// Answering a request once: the first press is final, a second one does nothing, a lost race says who was first
// (cases D21, E8).

import { useMutation } from '@tanstack/react-query';
import type { ApprovalView } from '../../main/contract/approvals.ts';
import { call, failureOf } from '../bridge.ts';
import { take } from './live.ts';

export type Answering =
  | { kind: 'approve'; remember?: 'job' | 'always' }
  | { kind: 'deny' }
  | { kind: 'reply'; content: string }
  | { kind: 'answer'; choices: string[]; text: string };

/** Requests with an answer on its way, so that a press on another view of the same request changes nothing. */
const underway = new Set<string>();

function send(id: string, answering: Answering): Promise<ApprovalView> {
  if (answering.kind === 'reply') return call('approvals.reply', { id, content: answering.content });
  if (answering.kind === 'answer') {
    return call('approvals.answer', { id, choices: answering.choices, text: answering.text });
  }
  const press = { id, decision: answering.kind, from: 'dashboard' as const };
  const remember = answering.kind === 'approve' ? answering.remember : undefined;
  return call('approvals.decide', remember === undefined ? press : { ...press, remember });
}

async function answer(id: string, answering: Answering): Promise<ApprovalView> {
  try {
    return await send(id, answering);
  } catch (error) {
    // Whatever went wrong, what the request is now decides what may be pressed next.
    await call('approvals.get', { id }).then(
      ({ item }) => take(item),
      () => undefined,
    );
    throw error;
  } finally {
    underway.delete(id);
  }
}

export type Decision = {
  /** What was pressed and is on its way. */
  pressed: Answering['kind'] | null;
  error: unknown;
  /** True when somebody else was first. */
  conflict: boolean;
  press: (answering: Answering) => void;
};

export function useDecision(id: string): Decision {
  const mutation = useMutation<ApprovalView, Error, Answering>({
    mutationFn: answering => answer(id, answering),
    onSuccess: take,
  });
  return {
    pressed: mutation.isPending ? mutation.variables.kind : null,
    error: mutation.error,
    conflict: mutation.error !== null && failureOf(mutation.error).kind === 'conflict',
    press: answering => {
      if (underway.has(id)) return;
      underway.add(id);
      mutation.mutate(answering);
    },
  };
}
