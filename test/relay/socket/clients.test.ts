// Common clients, used as their own documents say, without anything special on either side.

import NDK, { NDKEvent, NDKPrivateKeySigner, NDKRelayAuthPolicies } from '@nostr-dev-kit/ndk';
import type { AbstractRelay } from 'nostr-tools/abstract-relay';
import { SimplePool, useWebSocketImplementation } from 'nostr-tools/pool';
import { type EventTemplate, finalizeEvent, generateSecretKey, getPublicKey } from 'nostr-tools/pure';
import { Relay } from 'nostr-tools/relay';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { Edge } from '../http/edge.ts';
import { seconds } from './wire-client.ts';

let edge: Edge;
const secret = generateSecretKey();
const draft = (content: string) => ({ kind: 1, created_at: seconds(), tags: [['t', 'clients']], content });

/** The challenge follows the connection: a call in the same breath would come too early. */
async function signIn(relay: AbstractRelay): Promise<void> {
  const sign = async (template: EventTemplate) => finalizeEvent(template, secret);
  await expect.poll(() => relay.auth(sign)).toBeDefined();
}

beforeAll(async () => {
  useWebSocketImplementation(WebSocket);
  edge = await Edge.start();
  await edge.call(edge.owner, 'setmember', getPublicKey(secret));
});
afterAll(() => edge.close());

describe('nostr-tools', () => {
  test('Relay: AUTH, publish, subscribe', async () => {
    const relay = new Relay(edge.relay.url);
    await relay.connect();
    await signIn(relay);
    const event = finalizeEvent(draft('from Relay'), secret);
    await relay.publish(event);
    const found = await new Promise<string[]>(resolve => {
      const contents: string[] = [];
      const subscription = relay.subscribe([{ kinds: [1], '#t': ['clients'] }], {
        onevent: one => contents.push(one.content),
        oneose() {
          subscription.close();
          resolve(contents);
        },
      });
    });
    expect(found).toContain('from Relay');
    expect(await relay.count([{ '#t': ['clients'] }], {})).toBe(found.length);
    relay.close();
  });

  test('SimplePool: publish, query, live subscription', async () => {
    const pool = new SimplePool();
    const urls = [edge.relay.url];
    const relay = await pool.ensureRelay(edge.relay.url);
    await signIn(relay);
    const first = finalizeEvent(draft('from SimplePool'), secret);
    await Promise.all(pool.publish(urls, first));
    expect((await pool.get(urls, { ids: [first.id] }))?.content).toBe('from SimplePool');
    const live = new Promise<string>(resolve => {
      pool.subscribe(
        urls,
        { kinds: [1], since: seconds(), limit: 0 },
        { onevent: event => resolve(event.content) },
      );
    });
    await Promise.all(pool.publish(urls, finalizeEvent(draft('live'), secret)));
    expect(await live).toBe('live');
    pool.destroy();
  });
});

test('NDK: AUTH by its own policy, publish, fetch, subscribe', async () => {
  const signer = new NDKPrivateKeySigner(Buffer.from(secret).toString('hex'));
  const ndk = new NDK({ explicitRelayUrls: [edge.relay.url], signer, enableOutboxModel: false });
  ndk.relayAuthDefaultPolicy = NDKRelayAuthPolicies.signIn({ ndk, signer });
  const connected = new Promise<void>(resolve => ndk.pool.once('relay:authed', () => resolve()));
  await ndk.connect(5000);
  await connected;
  const event = new NDKEvent(ndk, { ...draft('from NDK'), pubkey: getPublicKey(secret) });
  await event.sign();
  const live = new Promise<string>(resolve => {
    const subscription = ndk.subscribe({ kinds: [1], since: seconds() - 5, authors: [event.pubkey] });
    subscription.on('event', one => {
      if (one.content === 'from NDK') resolve(one.id);
    });
  });
  expect((await event.publish()).size).toBe(1);
  expect(await live).toBe(event.id);
  const fetched = await ndk.fetchEvents({ ids: [event.id] });
  expect([...fetched].map(one => one.content)).toEqual(['from NDK']);
  for (const relay of ndk.pool.relays.values()) relay.disconnect();
});
