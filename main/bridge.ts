// The one door between the dashboard and main: the argument is parsed by the contract, the answer is a Reply<T>,
// and nothing crosses as a thrown error (style: one contract per boundary). Who may knock is the shell's to check.

import type { z } from 'zod';
import type { CallShape, Failure, Reply } from './contract/contract.ts';
import { type Caller, type FeatureName, features, type Handlers } from './contract/features.ts';
import type { Logger } from './logs.ts';

/** An expected failure: a handler throws it, the caller gets it as `{ ok: false, failure }`. */
export class CallFailure extends Error {
  readonly failure: Failure;
  constructor(kind: Failure['kind'], message: string, more: Pick<Failure, 'details' | 'fields'> = {}) {
    super(message);
    this.name = 'CallFailure';
    this.failure = { kind, message, ...more };
  }
}

export type FeatureHandlers = { [F in FeatureName]?: Handlers<F> };

export type Bridge = {
  /** Answers one call by its name, like `rooms.send`. Never rejects. */
  call(name: string, args: unknown, from: Caller): Promise<Reply<unknown>>;
  /** Puts features behind the door; what is not there yet answers with `absent()`. */
  add(handlers: FeatureHandlers): void;
};

export type BridgeOptions = {
  log: Logger;
  /** Why a feature has no handlers now: the vault is locked, the relay is not up. */
  absent(): Failure;
  /** Checks results against the contract as well. On in tests: the types already hold in production. */
  checkResults?: boolean;
};

type Handler = (args: unknown, from: Caller) => unknown;

/** A bridge with no features behind it yet. */
export function createBridge(options: BridgeOptions): Bridge {
  const { log, absent, checkResults = process.env.NODE_ENV === 'test' } = options;
  const behind: Record<string, Record<string, unknown>> = {};

  async function answer(name: string, args: unknown, from: Caller): Promise<Reply<unknown>> {
    const shape = shapeOf(name);
    if (!shape) return no({ kind: 'not-found', message: `There is no call named "${name.slice(0, 80)}".` });
    const [feature, call] = split(name);
    const handler = behind[feature]?.[call] as Handler | undefined;
    if (!handler) return no(absent());
    const parsed = shape.args.safeParse(args ?? {});
    if (!parsed.success) return no(invalid(parsed.error));
    const value = await handler(parsed.data, from);
    return { ok: true, value: checkResults ? shape.result.parse(value) : value };
  }

  return {
    async call(name, args, from) {
      try {
        return await answer(name, args, from);
      } catch (error) {
        if (error instanceof CallFailure) return no(error.failure);
        log.error({ err: error }, `${name} failed`);
        const details = error instanceof Error ? error.message : String(error);
        return no({
          kind: 'failed',
          message: 'Something went wrong in the program. The log says more.',
          details,
        });
      }
    },
    add(handlers) {
      Object.assign(behind, handlers);
    },
  };
}

function no(failure: Failure): Reply<unknown> {
  return { ok: false, failure };
}

function split(name: string): [string, string] {
  const dot = name.indexOf('.');
  return [name.slice(0, dot), name.slice(dot + 1)];
}

function shapeOf(name: string): CallShape | undefined {
  const [feature, call] = split(name);
  if (!Object.hasOwn(features, feature)) return undefined;
  const calls: Record<string, CallShape> = features[feature as FeatureName].calls;
  return Object.hasOwn(calls, call) ? calls[call] : undefined;
}

function invalid(error: z.ZodError): Failure {
  const fields: Record<string, string> = {};
  for (const issue of error.issues) {
    const path = issue.path.map(String).join('.');
    fields[path] ??= issue.message;
  }
  const [path, problem] = Object.entries(fields)[0] ?? ['', 'not what was expected'];
  return { kind: 'invalid', message: path ? `${path}: ${problem}` : problem, fields };
}
