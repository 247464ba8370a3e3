// startRelay: puts the parts of the relay together, in the order in which they need each other, and takes them apart
// in the reverse one. Nothing is decided here.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Admission } from './admission/admission.ts';
import type { News } from './admission/admit.ts';
import { announceDismissal } from './admission/effects/room-members.ts';
import { OwnRecords } from './admission/own-records.ts';
import { RateLimiter } from './admission/rate-limiter.ts';
import type { Desk } from './admission/rule.ts';
import type { AccessChange, Logger, Relay, RelayContext, RelayOptions } from './context.ts';
import { createHttp } from './http/http.ts';
import { LIMITS } from './limits.ts';
import { mergePolicy } from './policy.ts';
import type { NostrEvent } from './protocol/event.ts';
import { countEvents, readEvents } from './reading.ts';
import { Roles } from './roles.ts';
import { selfSigner } from './self-key.ts';
import { prepare } from './setup.ts';
import { SocketServer } from './socket/socket-server.ts';
import { openDatabase } from './store/database.ts';
import { SqliteStore } from './store/store.ts';
import { startUpkeep } from './upkeep.ts';
import { createUrls } from './urls.ts';
import { SignaturePool } from './verify/signature-pool.ts';
import { Visibility } from './visibility/visibility.ts';

export type { Relay, RelayOptions } from './context.ts';

const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Starts a relay and answers once it listens; throws (StoreRefusal for the data folder) when it cannot. */
export async function startRelay(options: RelayOptions): Promise<Relay> {
  const database = openDatabase(options.data);
  try {
    return await startOn(database, options);
  } catch (error) {
    database.close();
    throw error;
  }
}

async function startOn(database: ReturnType<typeof openDatabase>, options: RelayOptions): Promise<Relay> {
  const { host = '127.0.0.1', log = SILENT } = options;
  const now = options.now ?? (() => Math.floor(Date.now() / 1000));
  const self = selfSigner(options.data, options.selfSecret);
  const store = new SqliteStore(database.db, now);
  const policy = () => store.settings.policy;
  const roles = new Roles(store, policy, now);
  const visibility = new Visibility({ store, roles, policy, now });
  const readers = new Set<(event: NostrEvent) => void>();
  let socket: SocketServer | undefined;
  const onNews = (news: News) => {
    socket?.announce(news);
    for (const tell of readers) tell(news.event);
  };
  const accessChanged = (change: AccessChange) => store.afterCommit(() => socket?.accessChanged(change));
  const own = new OwnRecords({ store, roles, signer: self, now, onNews });
  const publishOwn: RelayContext['publishOwn'] = templates => own.publish(templates);
  store.beforeCommit = () => own.refreshRooms();
  store.onLeft = (pubkey, rooms) => {
    for (const room of rooms) announceDismissal(room, pubkey, { publishOwn, accessChanged });
    accessChanged({ keys: [pubkey], reason: 'your access to this relay changed' });
  };
  const desk: Desk = {
    ...{ store, policy, roles, visibility, rates: new RateLimiter() },
    ...{ self: self.pubkey, now, publishOwn, accessChanged },
  };
  prepare({ store, self: self.pubkey, options });

  const server = createServer();
  const port = await listen(server, host, options.port ?? 0);
  const urls = createUrls({ host, port, publicUrl: options.url, origins: options.origins });
  const pool = new SignaturePool();
  const admission = new Admission({ desk, pool, log, onNews });
  socket = new SocketServer({ store, admission, visibility, pool, urls, policy, now });
  const context: RelayContext = {
    ...{
      store,
      limits: LIMITS,
      policy,
      publishOwn,
      admission,
      visibility,
      roles,
      self,
      accessChanged,
      now,
      urls,
      log,
    },
    setPolicy(patch) {
      const merged = mergePolicy(policy(), patch);
      if ('policy' in merged) store.settings.setPolicy(merged.policy);
      return merged;
    },
    transact: change => store.transact(change),
    read: (reader, filters) => readEvents({ events: store.events, visibility }, reader, filters),
    count: (reader, filters) => countEvents({ events: store.events, visibility }, reader, filters),
    live: {
      subscribe(listener) {
        readers.add(listener);
        return () => readers.delete(listener);
      },
    },
  };
  server.on('upgrade', (request, stream, head) => socket?.upgrade(request, stream, head));
  server.on('request', createHttp(context));
  const stopUpkeep = startUpkeep({
    ...{ store, database, log },
    onDamage(problem) {
      log.error({ problem }, 'The database is damaged: the relay stops, restore a backup');
      options.onDamage?.(problem);
      void close();
    },
  });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= shutDown();
    return closing;
  };
  const shutDown = async () => {
    stopUpkeep();
    const stopped = once(server, 'close');
    server.close();
    await admission.close();
    await socket?.close();
    server.closeAllConnections();
    await stopped;
    await pool.close();
    database.close();
  };
  return { url: urls.ws, http: urls.http, self: self.pubkey, owner: policy().owner, context, close };
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    throw isTaken ? new Error(`port ${port} on ${host} is in use`, { cause: error }) : error;
  }
  return (server.address() as AddressInfo).port;
}
