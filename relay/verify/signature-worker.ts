// A thread that checks signatures (BIP-340). A message is a batch of 128 bytes a check: id, public key, signature;
// the answer is one byte a check, in the same order.

import { parentPort } from 'node:worker_threads';
import { verifySchnorr } from 'tiny-secp256k1';

const CHECK_BYTES = 128;

parentPort?.on('message', (batch: Uint8Array) => {
  const answer = new Uint8Array(batch.length / CHECK_BYTES);
  for (let index = 0; index < answer.length; index += 1) {
    answer[index] = isGood(batch.subarray(index * CHECK_BYTES, (index + 1) * CHECK_BYTES)) ? 1 : 0;
  }
  parentPort?.postMessage(answer, [answer.buffer]);
});

function isGood(check: Uint8Array): boolean {
  try {
    return verifySchnorr(check.subarray(0, 32), check.subarray(32, 64), check.subarray(64, 128));
  } catch {
    // The library throws on a public key that is no point of the curve: such a signature is simply not good.
    return false;
  }
}
