// Rooms and who is in them (NIP-29, spec/membership-and-rooms.md section 3). All of it is also held in memory: every
// message asks whether its room exists and who may write or read there.

import type { Database, Statement } from 'better-sqlite3';
import type { RoomMember, RoomRecord, RoomStore } from '../context.ts';
import type { RoomRole } from '../protocol/room.ts';

type Room = { record: RoomRecord; members: Map<string, RoomMember> };
type MemberRow = RoomMember & { room: string };

const RANK: Record<RoomRole, number> = { owner: 0, admin: 1, member: 2 };

export class SqliteRooms implements RoomStore {
  readonly #sql: ReturnType<typeof statements>;
  /** Rooms whose signed records no longer tell the truth; the relay signs them anew before the commit. */
  readonly #changed = new Set<string>();
  #rooms = new Map<string, Room>();

  constructor(db: Database) {
    this.#sql = statements(db);
    this.reload();
  }

  get(id: string): RoomRecord | null {
    return this.#rooms.get(id)?.record ?? null;
  }

  list(): RoomRecord[] {
    return [...this.#rooms.values()].map(room => room.record);
  }

  members(room: string): RoomMember[] {
    const order = (a: RoomMember, b: RoomMember) => RANK[a.role] - RANK[b.role] || a.added_at - b.added_at;
    return [...(this.#rooms.get(room)?.members.values() ?? [])].sort(order);
  }

  member(room: string, pubkey: string): RoomMember | null {
    return this.#rooms.get(room)?.members.get(pubkey) ?? null;
  }

  memberCount(room: string): number {
    return this.#rooms.get(room)?.members.size ?? 0;
  }

  /** Ids of the rooms the key is a member of. */
  roomsOf(pubkey: string): string[] {
    return [...this.#rooms].filter(([, room]) => room.members.has(pubkey)).map(([id]) => id);
  }

  put(record: RoomRecord): void {
    this.#sql.putRoom.run(record);
    this.#rooms.set(record.id, { record, members: this.#rooms.get(record.id)?.members ?? new Map() });
    this.#changed.add(record.id);
  }

  /** Takes the room and its members away; its events are the caller's. */
  remove(id: string): void {
    this.#sql.removeRoom.run(id);
    this.#sql.removeMembers.run(id);
    this.#rooms.delete(id);
    this.#changed.delete(id);
  }

  putMember(room: string, member: RoomMember): void {
    this.#sql.putMember.run({ room, ...member });
    this.#rooms.get(room)?.members.set(member.pubkey, { ...member });
    this.#changed.add(room);
  }

  removeMember(room: string, pubkey: string): boolean {
    if (!this.#rooms.get(room)?.members.delete(pubkey)) return false;
    this.#sql.removeMember.run(room, pubkey);
    this.#changed.add(room);
    return true;
  }

  /** The rooms changed since the last call. */
  takeChanged(): string[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  reload(): void {
    this.#changed.clear();
    this.#rooms = new Map(
      this.#sql.rooms.all().map(record => [record.id, { record, members: new Map<string, RoomMember>() }]),
    );
    for (const { room, ...member } of this.#sql.members.all()) {
      this.#rooms.get(room)?.members.set(member.pubkey, member);
    }
  }
}

function statements(db: Database) {
  const make = <Parameters extends unknown[], Row = unknown>(sql: string) =>
    db.prepare(sql) as Statement<Parameters, Row>;
  return {
    rooms: make<[], RoomRecord>('SELECT * FROM rooms ORDER BY created_at, id'),
    members: make<[], MemberRow>(
      'SELECT room, pubkey, role, added_at FROM room_members ORDER BY added_at, pubkey',
    ),
    putRoom: make<[RoomRecord]>(
      `INSERT OR REPLACE INTO rooms (id, name, about, picture, access, created_by, created_at, event_id)
       VALUES (@id, @name, @about, @picture, @access, @created_by, @created_at, @event_id)`,
    ),
    removeRoom: make<[string]>('DELETE FROM rooms WHERE id = ?'),
    removeMembers: make<[string]>('DELETE FROM room_members WHERE room = ?'),
    putMember: make<[MemberRow]>(
      'INSERT OR REPLACE INTO room_members (room, pubkey, role, added_at) VALUES (@room, @pubkey, @role, @added_at)',
    ),
    removeMember: make<[string, string]>('DELETE FROM room_members WHERE room = ? AND pubkey = ?'),
  };
}
