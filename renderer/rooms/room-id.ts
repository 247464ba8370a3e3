// A room id from a name: what is allowed in one (spec/membership-and-rooms.md 3) and still reads like the name.

export function roomIdFrom(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
}
