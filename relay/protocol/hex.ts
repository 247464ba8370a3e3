// Bytes as lower-case hex and back, without throwing: hex comes from outside.

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function hexFromBytes(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += HEX[byte];
  return text;
}

/** The bytes of lower-case hex of even length, or null when it is not that. */
export function bytesFromHex(hex: unknown): Uint8Array | null {
  if (typeof hex !== 'string' || hex.length % 2 !== 0) return null;
  const bytes = new Uint8Array(hex.length / 2);
  return hexInto(hex, bytes, 0) ? bytes : null;
}

/** Writes lower-case hex into an array that has room for it; false, and half written, when it is not hex. */
export function hexInto(hex: string, target: Uint8Array, offset: number): boolean {
  for (let i = 0; i < hex.length / 2; i += 1) {
    const high = digit(hex.charCodeAt(i * 2));
    const low = digit(hex.charCodeAt(i * 2 + 1));
    if (high < 0 || low < 0) return false;
    target[offset + i] = high * 16 + low;
  }
  return true;
}

function digit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  return code >= 97 && code <= 102 ? code - 87 : -1;
}
