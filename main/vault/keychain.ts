// The system's keychain with a time limit, and plain words about what it answered (cases F1 F9 F60). Never asked for
// more than one item at a start, so there is at most one prompt.

import { childEnvironment } from '../supervise/child-environment.ts';
import type { Spawned, Spawner } from '../supervise/spawner.ts';
import { type KeychainReply, type KeychainRequest, keychainReply } from './keychain-messages.ts';
import { lookAtSecretService } from './secret-service.ts';

/** Why the keychain could not be used. `silent`: it has not answered yet, perhaps it waits for a person. */
export type KeychainProblem = {
  answer: 'no-library' | 'no-session' | 'no-service' | 'locked' | 'silent' | 'failed';
  words: string;
};
export type KeychainRead = { answer: 'found'; value: string } | { answer: 'no-item' } | KeychainProblem;
export type KeychainWrite = { answer: 'written' } | KeychainProblem;

export type Keychain = {
  /** What the system calls it. */
  readonly name: string;
  /** Reads one item. When the answer is `silent`, `late` gets the true one if it still comes. */
  read(account: string, late?: (answer: KeychainRead) => void): Promise<KeychainRead>;
  /** Writes one item; `late` is told when a silent write went through after all. */
  write(account: string, value: string, late?: () => void): Promise<KeychainWrite>;
  remove(account: string): Promise<KeychainWrite>;
  /** Ends the process behind it, and with it whatever waits there. */
  close(): void;
};

export type KeychainOptions = {
  spawner: Spawner;
  /** Module of the process: keychain-process.ts. */
  entry: string;
  env?: NodeJS.ProcessEnv;
  platform?: NodeJS.Platform;
  /** Milliseconds until a read or write counts as silent. */
  within?: number;
};

export const keychainService = 'Tiny Desktop';
const names: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'macOS Keychain',
  win32: 'Windows Credential Manager',
};

/** The keychain of this system. Nothing is started before the first call. */
export function createKeychain(options: KeychainOptions): Keychain {
  const { env = process.env, platform = process.platform, within = 5000 } = options;
  const helper = createHelper(options, env);
  const linux = platform === 'linux' || platform === 'freebsd';

  async function look(account: string) {
    return lookAtSecretService({ service: keychainService, account }, env, Math.min(within, 3000));
  }

  async function read(account: string, late?: (answer: KeychainRead) => void): Promise<KeychainRead> {
    if (linux) {
      const sight = await look(account);
      if ('words' in sight) return { answer: sight.seen, words: sight.words };
      if (sight.seen === 'no-item' && sight.keyring !== 'locked') return { answer: 'no-item' };
    }
    const told = helper.ask({ op: 'read', service: keychainService, account }).then(asRead);
    const answer = await inTime(told, within);
    if (answer) return answer;
    void told.then(value => late?.(value));
    return {
      answer: 'silent',
      words: `it has not answered in ${within / 1000} s; it may be waiting for you`,
    };

    // libsecret says "nothing" for what it could not unlock: then the item is locked, not missing.
    async function asRead(reply: KeychainReply): Promise<KeychainRead> {
      if (typeof reply.value === 'string') return { answer: 'found', value: reply.value };
      if (reply.error !== undefined) return problemIn(reply);
      const sight = linux ? await look(account) : null;
      const locked =
        sight?.seen === 'item' ? sight.locked : sight?.seen === 'no-item' && sight.keyring === 'locked';
      return locked ? { answer: 'locked', words: 'the keyring is locked' } : { answer: 'no-item' };
    }
  }

  async function change(request: Asked, late?: () => void): Promise<KeychainWrite> {
    const sight = linux ? await look(request.account) : null;
    if (sight && 'words' in sight) return { answer: sight.seen, words: sight.words };
    const told = helper.ask(request);
    const reply = await inTime(told, within);
    if (!reply) {
      void told.then(({ error }) => error === undefined && late?.());
      return {
        answer: 'silent',
        words: `it has not answered in ${within / 1000} s; it may be waiting for you`,
      };
    }
    return reply.error === undefined ? { answer: 'written' } : problemIn(reply);
  }

  return {
    name: names[platform] ?? 'Secret Service keyring',
    read,
    write: (account, value, late) => change({ op: 'write', service: keychainService, account, value }, late),
    remove: account => change({ op: 'remove', service: keychainService, account }),
    close: () => helper.close(),
  };
}

function problemIn(reply: KeychainReply): KeychainProblem {
  const words = reply.error ?? 'it did not say why';
  if (reply.library === false) {
    return { answer: 'no-library', words: 'its library could not be loaded (on Linux: libsecret-1)' };
  }
  if (/autolaunch|could not connect|DBUS/i.test(words)) return { answer: 'no-session', words };
  if (/not provided by any|ServiceUnknown/i.test(words)) return { answer: 'no-service', words };
  if (/locked|interaction is not allowed|user canceled|dismissed/i.test(words))
    return { answer: 'locked', words };
  return { answer: 'failed', words };
}

type Asked = KeychainRequest extends infer R ? (R extends KeychainRequest ? Omit<R, 'id'> : never) : never;

/** Starts the keychain's process when it is first needed and matches answers to questions. */
function createHelper({ spawner, entry }: KeychainOptions, env: NodeJS.ProcessEnv) {
  let current: Promise<Helper> | null = null;
  let last = 0;

  async function start(): Promise<Helper> {
    const waiting: Helper['waiting'] = new Map();
    // Set by the caller before this is resumed.
    await null;
    const started = current;
    const spawned = await spawner.spawn({
      entry,
      args: [],
      env: childEnvironment('keychain', {}, env),
      channel: 'messages',
      name: 'tiny keychain',
    });
    spawned.onMessage(message => {
      const reply = keychainReply.safeParse(message);
      if (!reply.success) return;
      waiting.get(reply.data.id)?.(reply.data);
      waiting.delete(reply.data.id);
    });
    spawned.onExit(exit => {
      if (current === started) current = null;
      for (const [id, answer] of waiting)
        answer({ id, error: `its process ended (${exit.signal ?? exit.code})` });
      waiting.clear();
    });
    return { spawned, waiting };
  }

  return {
    async ask(request: Asked): Promise<KeychainReply> {
      current ??= start();
      const { spawned, waiting } = await current;
      const id = ++last;
      return new Promise(done => {
        waiting.set(id, done);
        if (!spawned.send({ ...request, id })) done({ id, error: 'its process ended' });
      });
    },
    close() {
      void current?.then(({ spawned }) => spawned.kill(true));
      current = null;
    },
  };
}

type Helper = { spawned: Spawned; waiting: Map<number, (reply: KeychainReply) => void> };

/** The value, or undefined when it takes longer than `ms`. */
async function inTime<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
