// How a receiver tells that a POST came from this relay (seed, Delivery), ready to paste.

export const VERIFIERS = {
  node: {
    label: 'Node',
    text: `import { createHmac, timingSafeEqual } from 'node:crypto';

// body: the raw bytes of the request; header: its X-Tiny-Signature
export function isFromRelay(body, header, secret) {
  const digest = createHmac('sha256', secret).update(body).digest('hex');
  const expected = Buffer.from('sha256=' + digest);
  const given = Buffer.from(header ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
`,
  },
  python: {
    label: 'Python',
    text: `import hashlib
import hmac

# body: the raw bytes of the request; header: its X-Tiny-Signature
def is_from_relay(body: bytes, header: str | None, secret: str) -> bool:
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    expected = ("sha256=" + digest).encode()
    return hmac.compare_digest((header or "").encode(), expected)
`,
  },
} as const;

export type VerifierName = keyof typeof VERIFIERS;
