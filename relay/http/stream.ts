// GET /rooms/<id>/stream: what happens in a room as server-sent events (spec/http-surface.md section 7).

import type { IncomingMessage } from 'node:http';
import type { Reader, RelayContext } from '../context.ts';
import type { NostrEvent } from '../protocol/event.ts';
import { KIND } from '../protocol/kinds.ts';
import { isRoomId, tagValue, tagValues } from '../protocol/tags.ts';
import { plain, refused } from './answers.ts';
import type { Proofs } from './proofs.ts';

const KEEP_ALIVE = 25_000;
/** Messages a slow reader may leave unread before the stream ends. */
const BUFFERED = 64;
const EMPTY = Buffer.alloc(0);

/** The stream, or why there is none: 401, 403, 404, 405. */
export function answerStream(
  context: RelayContext,
  proofs: Proofs,
  incoming: IncomingMessage,
  room: string,
): Response {
  if (incoming.method !== 'GET') return plain('Only GET.\n', 405, { allow: 'GET' });
  const proof = proofs.keyOf(incoming, EMPTY);
  if ('refusal' in proof) return refused(proof.refusal);
  const ip = incoming.socket.remoteAddress;
  if (context.store.ips.isBlocked(ip ?? '')) return refused('blocked: this address is blocked');
  const reader: Reader = { keys: [proof.key], ...(ip === undefined ? {} : { ip }) };
  const refusal = context.visibility.mayQuery(reader, [{ '#h': [room] }]);
  if (refusal !== null) return refused(refusal);
  if (!isRoomId(room) || context.store.rooms.get(room) === null) return plain('Unknown room.\n', 404);
  if (!context.visibility.canReadRoom(reader, room))
    return refused(`restricted: not a member of room ${room}`);
  return new Response(roomStream(context, reader, room), {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, private',
    },
  });
}

function roomStream(context: RelayContext, reader: Reader, room: string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let end: () => void = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const send = (text: string) => controller.enqueue(encoder.encode(text));
        const keepAlive = setInterval(() => send(': keep-alive\n\n'), KEEP_ALIVE);
        const stop = context.live.subscribe(event => {
          if (!belongs(context, event, room) || !context.visibility.canRead(reader, event)) return;
          if ((controller.desiredSize ?? 0) <= 0) {
            end();
            controller.close();
            return;
          }
          send(`event: message\ndata: ${JSON.stringify(event)}\n\n`);
        });
        const stopAccess = context.live.onAccess(() => {
          if (context.visibility.canReadRoom(reader, room)) return;
          end();
          controller.close();
        });
        end = () => {
          clearInterval(keepAlive);
          stop();
          stopAccess();
        };
        send(`: room ${room}\n\n`);
      },
      cancel: () => end(),
    },
    { highWaterMark: BUFFERED },
  );
}

/** In the room by its `h`; presence without one belongs to every room its author may write in. */
function belongs(context: RelayContext, event: NostrEvent, room: string): boolean {
  if (tagValues(event, 'h').includes(room)) return true;
  if (event.kind !== KIND.presence || tagValue(event, 'h') !== undefined) return false;
  return context.roles.roomRole(room, event.pubkey) !== '';
}
