import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { nip98Header } from '../../../relay/client/http-proof.ts';
import type { Signer } from '../../../relay/client/signer.ts';
import type { NostrEvent } from '../../../relay/protocol/event.ts';
import { Edge, person } from './edge.ts';

let edge: Edge;
let member: Signer;
beforeAll(async () => {
  edge = await Edge.start();
  member = await edge.member();
  await edge.room('general');
  await edge.room('secret', 'members');
});
afterAll(() => edge.close());

const open: IncomingMessage[] = [];
afterEach(() => {
  for (const response of open.splice(0)) response.destroy();
});

/** What a stream says, one block (up to the empty line) at a time. */
class Listener {
  readonly response: IncomingMessage;
  #text = '';
  #wake: () => void = () => {};

  constructor(response: IncomingMessage) {
    this.response = response;
    open.push(response);
    response.setEncoding('utf8');
    response.on('data', chunk => {
      this.#text += chunk;
      this.#wake();
    });
    response.on('error', () => this.#wake());
  }

  async next(): Promise<string> {
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end !== -1) {
        const block = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        return block;
      }
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
  }

  async event(): Promise<NostrEvent> {
    const block = await this.next();
    const [first, second = ''] = block.split('\n');
    expect(first).toBe('event: message');
    return JSON.parse(second.replace('data: ', '')) as NostrEvent;
  }
}

function listen(room: string, signer: Signer | null): Promise<Listener> {
  const url = `${edge.relay.http}/rooms/${room}/stream`;
  const headers = signer === null ? {} : { authorization: nip98Header(signer, url, 'GET') };
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, response => resolve(new Listener(response))).on('error', reject);
  });
}

const say = (content: string, room = 'general') => ({ kind: 9, content, tags: [['h', room]] });

test('tells what is said in the room, and nothing of other rooms', async () => {
  const stream = await listen('general', member);
  expect(stream.response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
  expect(stream.response.headers['cache-control']).toBe('no-store, private');
  expect(await stream.next()).toBe(': room general');
  await edge.publish(edge.owner, say('elsewhere', 'secret'));
  const said = await edge.publish(edge.owner, say('here\nand there'));
  expect(await stream.event()).toEqual(said);
});

test('passes ephemeral events of the room on', async () => {
  const stream = await listen('general', member);
  await stream.next();
  const typing = await edge.publish(edge.owner, { kind: 20002, content: 'start', tags: [['h', 'general']] });
  expect((await stream.event()).id).toBe(typing.id);
});

test('refuses with 401, 403, 404 and 405', async () => {
  expect((await listen('general', null)).response.statusCode).toBe(401);
  expect((await listen('general', person())).response.statusCode).toBe(403);
  expect((await listen('secret', member)).response.statusCode).toBe(403);
  expect((await listen('nowhere', member)).response.statusCode).toBe(404);
  const answer = await edge.raw({ method: 'POST', path: '/rooms/general/stream' });
  expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET' } });
});

test('F-22 the stream of a member who was removed ends at once', async () => {
  const leaving = await edge.member();
  const stream = await listen('general', leaving);
  const other = await listen('general', member);
  await Promise.all([stream.next(), other.next()]);
  const ended = once(stream.response, 'end');
  await edge.call(edge.owner, 'removemember', leaving.pubkey);
  await ended;
  const said = await edge.publish(edge.owner, say('after'));
  expect((await other.event()).id).toBe(said.id);
});
