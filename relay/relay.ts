// startRelay: puts the parts of the relay together, in the order in which they need each other, and takes them apart
// in the reverse one. Nothing is decided here.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Admission } from './admission/admission.ts';
import { Callbacks } from './callbacks/callbacks.ts';
import type { CallbackParts } from './callbacks/desk.ts';
import { callbackSealKey } from './callbacks/sealed-secret.ts';
import { signerFrom } from './client/signer.ts';
import type { Logger, Relay, RelayContext, RelayOptions, Urls } from './context.ts';
import { type Core, createCore } from './core.ts';
import { createHttp } from './http/http.ts';
import { LIMITS } from './limits.ts';
import { inviteResponse } from './membership/invite-response.ts';
import { mergePolicy } from './policy.ts';
import { countEvents, readEvents } from './reading.ts';
import { startSearchFilling } from './search-filling.ts';
import { selfSecret } from './self-key.ts';
import { prepare } from './setup.ts';
import { SocketServer } from './socket/socket-server.ts';
import { type OpenDatabase, openDatabase } from './store/database.ts';
import { startUpkeep } from './upkeep.ts';
import { createUrls } from './urls.ts';
import { SignaturePool } from './verify/signature-pool.ts';

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

async function startOn(database: OpenDatabase, options: RelayOptions): Promise<Relay> {
  const { host = '127.0.0.1', port = 0, log = SILENT } = options;
  const now = options.now ?? (() => Math.floor(Date.now() / 1000));
  const secret = options.selfSecret ?? selfSecret(options.data);
  const core = createCore({ database, signer: signerFrom(secret), now, log });
  prepare({ store: core.store, self: core.self, options });
  const server = createServer();
  const bound = await listen(server, host, port);
  // Nothing waits from here to the end: no connection can come in before there is somebody to take it.
  const urls = createUrls({ host, port: bound, publicUrl: options.url, origins: options.origins });
  const pool = new SignaturePool();
  const admission = new Admission({ desk: { ...core, isOurUrl: urls.isOurUrl }, pool, log, news: core.news });
  const socket = new SocketServer({
    ...{ ...core, admission, pool, urls, log },
    inviteFor: keys => inviteResponse(core, keys),
  });
  const callbacks = createCallbacks(core, {
    db: database.db,
    url: urls.ws,
    sealKey: callbackSealKey(secret),
    log,
  });
  const context = createContext(core, { admission, socket, callbacks, urls, log });
  server.on('upgrade', (request, stream, head) => socket.upgrade(request, stream, head));
  server.on('request', createHttp(context));
  callbacks.start();

  const shutDown = async () => {
    stopUpkeep();
    stopSearch();
    const stopped = once(server, 'close');
    server.close();
    await admission.close();
    await callbacks.close();
    await socket.close();
    server.closeAllConnections();
    await stopped;
    await pool.close();
    database.close();
  };
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= shutDown();
    return closing;
  };
  const onDamage = (problem: string) => {
    log.error({ problem }, 'The database is damaged: the relay stops, restore a backup');
    options.onDamage?.(problem);
    void close();
  };
  const stopUpkeep = startUpkeep({ store: core.store, database, log, now, onDamage });
  const stopSearch = startSearchFilling({ ...core, log });
  return { url: urls.ws, http: urls.http, self: core.self, owner: core.policy().owner, context, close };
}

function createCallbacks(
  { store, policy, roles, visibility, self, now, news }: Core,
  own: Pick<CallbackParts, 'db' | 'url' | 'sealKey' | 'log'>,
): Callbacks {
  const parts = { store, policy, roles, visibility, self, now: () => now() * 1000 };
  const callbacks = new Callbacks({ ...parts, ...own });
  news.onTaken(callbacks.plan);
  news.onAccess(({ keys }) => callbacks.registrations.review(keys));
  return callbacks;
}

type Doors = { admission: Admission; socket: SocketServer; callbacks: Callbacks; urls: Urls; log: Logger };

function createContext(core: Core, { admission, socket, callbacks, urls, log }: Doors): RelayContext {
  const { store, visibility, news } = core;
  const reading = { events: store.events, visibility };
  return {
    ...core,
    ...{ limits: LIMITS, self: core.signer, admission, urls, log, callbacks: callbacks.registrations },
    setPolicy(patch) {
      const merged = mergePolicy(core.policy(), patch);
      if ('policy' in merged) store.settings.setPolicy(merged.policy);
      return merged;
    },
    transact: change => store.transact(change),
    read: (reader, filters) => readEvents(reading, reader, filters),
    count: (reader, filters) => countEvents(reading, reader, filters),
    live: {
      subscribe: listener => news.onEvent(one => listener(one.event)),
      onAccess: listener => news.onAccess(listener),
      size: () => socket.size,
    },
  };
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
