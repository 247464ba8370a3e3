// What kind of place an IP address is, by its bytes (spec/callbacks.md section 3). Text is never compared: the same
// address has many spellings.

import { isIP, isIPv4 } from 'node:net';

/** `special` is everything that is no public host: private, shared, link-local, multicast, reserved, documentation. */
export type AddressClass = 'public' | 'loopback' | 'special';

/** Classifies an address as resolvers and URLs write it, without brackets; what is no address is `special`. */
export function classOfAddress(address: string): AddressClass {
  const [plain = ''] = address.split('%');
  if (isIP(plain) === 0) return 'special';
  return isIPv4(plain) ? classOfV4(v4Bytes(plain)) : classOfV6(v6Bytes(plain));
}

type Range = { bytes: readonly number[]; bits: number };

const range = (bits: number, ...bytes: number[]): Range => ({ bytes, bits });

const V4_LOOPBACK = range(8, 127);
const V4_SPECIAL: readonly Range[] = [
  range(8, 0),
  range(8, 10),
  range(10, 100, 64),
  range(16, 169, 254),
  range(12, 172, 16),
  range(24, 192, 0, 0),
  range(24, 192, 0, 2),
  range(24, 192, 31, 196),
  range(24, 192, 52, 193),
  range(24, 192, 88, 99),
  range(16, 192, 168),
  range(24, 192, 175, 48),
  range(15, 198, 18),
  range(24, 198, 51, 100),
  range(24, 203, 0, 113),
  // Multicast, reserved and broadcast.
  range(3, 224),
];

/** Unicast addresses given out so far. All else of the space is special, mapped and translated IPv4 among it. */
const V6_GLOBAL = range(3, 0x20);
const V6_SPECIAL: readonly Range[] = [
  // Teredo, ORCHID and the rest of the protocol assignments.
  range(23, 0x20, 0x01, 0x00),
  range(32, 0x20, 0x01, 0x0d, 0xb8),
  // 6to4: carries an IPv4 address, which may be a private one.
  range(16, 0x20, 0x02),
  range(48, 0x26, 0x20, 0x00, 0x4f, 0x80, 0x00),
  range(20, 0x3f, 0xff, 0x00),
];

function classOfV4(bytes: readonly number[]): AddressClass {
  if (isWithin(bytes, V4_LOOPBACK)) return 'loopback';
  return V4_SPECIAL.some(special => isWithin(bytes, special)) ? 'special' : 'public';
}

function classOfV6(bytes: readonly number[]): AddressClass {
  if (bytes.every((byte, index) => byte === (index === 15 ? 1 : 0))) return 'loopback';
  if (!isWithin(bytes, V6_GLOBAL)) return 'special';
  return V6_SPECIAL.some(special => isWithin(bytes, special)) ? 'special' : 'public';
}

function isWithin(bytes: readonly number[], { bytes: start, bits }: Range): boolean {
  for (let bit = 0; bit < bits; bit += 8) {
    const mask = bits - bit >= 8 ? 0xff : (0xff << (8 - (bits - bit))) & 0xff;
    const index = bit / 8;
    if (((bytes[index] ?? 0) & mask) !== ((start[index] ?? 0) & mask)) return false;
  }
  return true;
}

function v4Bytes(text: string): number[] {
  return text.split('.').map(Number);
}

/** The 16 bytes of an IPv6 address that isIP has accepted. */
function v6Bytes(text: string): number[] {
  const tail = text.slice(text.lastIndexOf(':') + 1);
  const dotted = tail.includes('.') ? v4Bytes(tail) : [];
  const groups =
    dotted.length === 0 ? text : `${text.slice(0, -tail.length)}${hexPair(dotted, 0)}:${hexPair(dotted, 2)}`;
  const [head = '', rest] = groups.split('::');
  const first = groupBytes(head);
  if (rest === undefined) return first;
  const last = groupBytes(rest);
  return [...first, ...Array<number>(16 - first.length - last.length).fill(0), ...last];
}

function hexPair(bytes: readonly number[], at: number): string {
  return (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16);
}

function groupBytes(groups: string): number[] {
  if (groups === '') return [];
  return groups.split(':').flatMap(group => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
