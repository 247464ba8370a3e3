// Signature checks on worker threads, so that the thread of the sockets never waits for one. Checks queue up while
// every thread is busy and leave in batches: one message between threads then carries many of them.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

type Signed = { id: string; pubkey: string; sig: string };
type Check = Signed & { resolve: (good: boolean) => void; reject: (error: Error) => void };
type Thread = { worker: Worker; batches: Check[][]; load: number };

const CHECK_BYTES = 128;
const BATCH = 16;
/** Checks a thread may hold: enough that it is never idle while this thread commits. */
const THREAD_LOAD = 64;
/** A thread that dies this often in one process has a cause that starting another does not cure. */
const MAX_RESTARTS = 5;
/** A thread holds a few batches and the library, MiB. */
const THREAD_MEMORY = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 32 };

export class SignaturePool {
  readonly #threads: Thread[] = [];
  readonly #waiting: Check[] = [];
  #restarts = 0;
  #closed = false;
  #scheduled = false;

  constructor(threads = Math.min(4, Math.max(2, availableParallelism() - 1))) {
    for (let index = 0; index < threads; index += 1) this.#start();
  }

  /** Is the signature the author's, over that id? Rejects when the pool is closed or its threads keep dying. */
  check(signed: Signed): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    this.#waiting.push({ id: signed.id, pubkey: signed.pubkey, sig: signed.sig, resolve, reject });
    if (!this.#scheduled) {
      this.#scheduled = true;
      // After the frames of this read have been parsed, so that they leave together.
      process.nextTick(() => {
        this.#scheduled = false;
        this.#dispatch();
      });
    }
    return promise;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#threads.map(thread => thread.worker.terminate()));
    this.#failAll(new Error('signature pool is closed'));
  }

  #start(): void {
    const worker = new Worker(new URL('./signature-worker.ts', import.meta.url), {
      execArgv: [],
      resourceLimits: THREAD_MEMORY,
    });
    const thread: Thread = { worker, batches: [], load: 0 };
    worker.on('message', (answer: Uint8Array) => this.#settle(thread, answer));
    worker.on('error', error => this.#replace(thread, error));
    // Never a reason for the process to stay alive: close() is called by whoever owns the pool.
    worker.unref();
    this.#threads.push(thread);
  }

  #dispatch(): void {
    if (this.#closed) {
      this.#failAll(new Error('signature pool is closed'));
      return;
    }
    while (this.#waiting.length > 0) {
      const thread = this.#threads.reduce<Thread | undefined>(
        (least, one) => (least === undefined || one.load < least.load ? one : least),
        undefined,
      );
      if (thread === undefined || thread.load >= THREAD_LOAD) return;
      const share = Math.ceil(this.#waiting.length / this.#threads.length);
      const batch = this.#waiting.splice(0, Math.min(BATCH, share));
      thread.batches.push(batch);
      thread.load += batch.length;
      const bytes = packed(batch);
      thread.worker.postMessage(bytes, [bytes.buffer]);
    }
  }

  #settle(thread: Thread, answer: Uint8Array): void {
    const batch = thread.batches.shift() ?? [];
    thread.load -= batch.length;
    if (this.#waiting.length > 0) this.#dispatch();
    batch.forEach((check, index) => {
      check.resolve(answer[index] === 1);
    });
  }

  /** Starts another thread in the place of a dead one; what it held is asked again. */
  #replace(dead: Thread, error: unknown): void {
    this.#threads.splice(this.#threads.indexOf(dead), 1);
    this.#waiting.unshift(...dead.batches.flat());
    if (this.#closed) return;
    this.#restarts += 1;
    if (this.#restarts > MAX_RESTARTS) {
      if (this.#threads.length === 0)
        this.#failAll(new Error('signature threads keep dying', { cause: error }));
      return;
    }
    this.#start();
    this.#dispatch();
  }

  #failAll(error: Error): void {
    const held = this.#threads.flatMap(thread => thread.batches.splice(0).flat());
    for (const check of [...held, ...this.#waiting.splice(0)]) check.reject(error);
  }
}

function packed(batch: readonly Signed[]): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(new ArrayBuffer(batch.length * CHECK_BYTES));
  batch.forEach(({ id, pubkey, sig }, index) => {
    bytes.write(id + pubkey + sig, index * CHECK_BYTES, 'hex');
  });
  return new Uint8Array(bytes.buffer);
}
