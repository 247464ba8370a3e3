// What a method of the management endpoint is: who may call it, what it takes, what it does. Browse queries are methods
// too (spec/management.md section 1, spec/browse-queries.md section 1).

import type { z } from 'zod';
import type { Refusal, RelayContext, Role } from '../context.ts';
import { isHex64 } from '../protocol/tags.ts';

/** Who calls: the key its proof showed, '' for an unsigned call, and the role it has now. */
export type Caller = { pubkey: string; role: Role; ip?: string };

/** What a call comes to. A refusal is `prefix: text`. */
export type Answer = { result: unknown } | { refusal: Refusal };

/**
 * `anyone` needs no proof; `reader` passes the relay's read rule, signed or not; `signed` needs a key that passes it;
 * `key` needs a key, whoever it is; `operators` are the owner and the moderators.
 */
export type Audience = 'anyone' | 'reader' | 'signed' | 'key' | 'operators' | 'owner';

export type Method = {
  who: Audience;
  run(context: RelayContext, caller: Caller, params: unknown[]): Answer | Promise<Answer>;
};

export type MethodTable = Readonly<Record<string, Method>>;

/** A method whose parameters are read with a tuple schema before it runs. */
export function method<T>(
  who: Audience,
  params: z.ZodType<T>,
  run: (context: RelayContext, caller: Caller, params: T) => Answer | Promise<Answer>,
): Method {
  return {
    who,
    run(context, caller, input) {
      const parsed = params.safeParse(input);
      if (parsed.success) return run(context, caller, parsed.data);
      return refuse(`invalid: ${describe(parsed.error)}`);
    },
  };
}

export function answer(result: unknown): Answer {
  return { result };
}

export function refuse(refusal: Refusal): Answer {
  return { refusal };
}

/** A public key given as a parameter; the refusal when it is none. */
export function pubkeyRefusal(value: string): Refusal | null {
  return isHex64(value) ? null : 'invalid: bad pubkey';
}

function describe(error: z.ZodError): string {
  const issue = error.issues[0];
  const path = issue?.path.join('.') ?? '';
  const text = issue?.message ?? 'bad parameters';
  return path === '' ? text : `parameter ${path}: ${text}`;
}
