// Every feature the dashboard and main share, by the name that stands before the dot: `rooms.send`.

import type { z } from 'zod';
import { agents } from './agents.ts';
import { app } from './app.ts';
import { approvals } from './approvals.ts';
import { callbacks } from './callbacks.ts';
import { health } from './health.ts';
import { jobs } from './jobs.ts';
import { notices } from './notices.ts';
import { rooms } from './rooms.ts';
import { settings } from './settings.ts';

export const features = { app, agents, approvals, callbacks, health, jobs, notices, rooms, settings };
export type Features = typeof features;
export type FeatureName = keyof Features;

export type CallName = { [F in FeatureName]: `${F}.${keyof Features[F]['calls'] & string}` }[FeatureName];
export type PushName = { [F in FeatureName]: `${F}.${keyof Features[F]['pushes'] & string}` }[FeatureName];

type Member<Part extends 'calls' | 'pushes', Name extends string> = Name extends `${infer F}.${infer M}`
  ? F extends FeatureName
    ? M extends keyof Features[F][Part]
      ? Features[F][Part][M]
      : never
    : never
  : never;

/** What a caller hands in (defaults may be left out), what the handler gets, what comes back. */
export type CallInput<N extends CallName> =
  Member<'calls', N> extends { args: infer A extends z.ZodType } ? z.input<A> : never;
export type CallArgs<N extends CallName> =
  Member<'calls', N> extends { args: infer A extends z.ZodType } ? z.output<A> : never;
export type CallResult<N extends CallName> =
  Member<'calls', N> extends { result: infer R extends z.ZodType } ? z.output<R> : never;
export type PushValue<N extends PushName> =
  Member<'pushes', N> extends infer P extends z.ZodType ? z.output<P> : never;

/** Which page asked, for the few calls that are about the page itself. */
export type Caller = { page: string };

/** The handlers of one feature, typed from its contract. */
export type Handlers<F extends FeatureName> = {
  [C in keyof Features[F]['calls'] & string]: Features[F]['calls'][C] extends {
    args: infer A extends z.ZodType;
    result: infer R extends z.ZodType;
  }
    ? (args: z.output<A>, from: Caller) => Promise<z.output<R>> | z.output<R>
    : never;
};
