// The process that talks to the system's keychain. Its own, because a keychain that waits for a person blocks a thread
// until it answers, and a program with such a thread cannot end. Requests and answers are messages.

import { createRequire } from 'node:module';
import { type KeychainReply, type KeychainRequest, keychainRequest } from './keychain-messages.ts';

type Keytar = typeof import('keytar');
type Port = {
  postMessage(message: unknown): void;
  on(event: 'message', heard: (message: { data: unknown }) => void): void;
};

async function answer(request: KeychainRequest): Promise<KeychainReply> {
  const { id, service, account } = request;
  let keytar: Keytar;
  try {
    keytar = createRequire(import.meta.url)('keytar');
  } catch (error) {
    return { id, library: false, error: wordsOf(error) };
  }
  try {
    if (request.op === 'read') return { id, value: await keytar.getPassword(service, account) };
    if (request.op === 'write') await keytar.setPassword(service, account, request.value);
    else await keytar.deletePassword(service, account);
    return { id };
  } catch (error) {
    return { id, error: wordsOf(error) };
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function heard(message: unknown, reply: (message: KeychainReply) => void): Promise<void> {
  const request = keychainRequest.safeParse(message);
  if (request.success) reply(await answer(request.data));
}

const parentPort = (process as unknown as { parentPort?: Port }).parentPort;
if (parentPort) {
  parentPort.on('message', ({ data }) => void heard(data, reply => parentPort.postMessage(reply)));
} else if (process.send) {
  process.on('message', message => void heard(message, reply => process.send?.(reply)));
  // An orderly exit would wait for a thread that may be stuck in the keychain.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
}
