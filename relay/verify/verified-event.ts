// A signature that has been checked is visible in the type: only this file makes a VerifiedEvent, and only those can
// be stored. The `#checked` field keeps a spread copy, changed or not, from passing for one.

import { hash } from 'node:crypto';
import { verifySchnorr } from 'tiny-secp256k1';
import type { Signer } from '../client/signer.ts';
import type { EventTemplate, NostrEvent } from '../protocol/event.ts';
import { serializeForId } from '../protocol/parse-event.ts';
import type { SignaturePool } from './signature-pool.ts';

let make: (event: NostrEvent) => VerifiedEvent;

/** An event whose id and signature are its own, with the JSON that is stored and sent. */
export class VerifiedEvent {
  readonly #checked = true;
  readonly event: NostrEvent;
  readonly json: string;

  private constructor(event: NostrEvent) {
    this.event = event;
    this.json = JSON.stringify(event);
  }

  static {
    make = event => new VerifiedEvent(event);
  }

  static isOne(value: object): value is VerifiedEvent {
    return #checked in value;
  }
}

/** Does the id belong to the event? Cheap: one hash. */
export function hasOwnId(event: NostrEvent): boolean {
  return hash('sha256', serializeForId(event), 'hex') === event.id;
}

/** Checks the signature on the pool's threads; null when it is not the author's. Check the id first (hasOwnId). */
export async function verified(event: NostrEvent, pool: SignaturePool): Promise<VerifiedEvent | null> {
  return (await pool.check(event)) ? make(event) : null;
}

/** Checks id and signature at once, on this thread. */
export function verifiedNow(event: NostrEvent): VerifiedEvent | null {
  return hasOwnId(event) && isSigned(event) ? make(event) : null;
}

function isSigned({ id, pubkey, sig }: NostrEvent): boolean {
  try {
    return verifySchnorr(Buffer.from(id, 'hex'), Buffer.from(pubkey, 'hex'), Buffer.from(sig, 'hex'));
  } catch {
    // The library throws on a public key that is no point of the curve: such a signature is simply not good.
    return false;
  }
}

/** A record of our own, signed here: nothing to check. */
export function signOwn(signer: Signer, template: EventTemplate): VerifiedEvent {
  return make(signer.sign(template));
}
