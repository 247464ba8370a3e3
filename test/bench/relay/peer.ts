// The peer: @nostr-relay/core with its own SQLite repository. That one brings an older better-sqlite3 whose binary
// does not load here, so it is handed a database of ours; everything it does with it is its own. Synced like ours.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type WebSocket, WebSocketServer } from 'ws';
import { serveParent } from './servers.ts';

type Repository = { init(): Promise<void> };
type Peer = {
  handleConnection(socket: WebSocket): void;
  handleDisconnect(socket: WebSocket): void;
  handleMessage(socket: WebSocket, message: unknown): Promise<unknown>;
};

const load = createRequire(import.meta.url);
const { EventRepositorySqlite } = load('@nostr-relay/event-repository-sqlite') as {
  EventRepositorySqlite: new (db: unknown) => Repository;
};
const { NostrRelay } = load('@nostr-relay/core') as { NostrRelay: new (repository: Repository) => Peer };
const { Validator } = load('@nostr-relay/validator') as {
  Validator: new () => { validateIncomingMessage(data: unknown): Promise<unknown> };
};

const db = new Database(join(process.argv[2] ?? '', 'peer.db'));
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
const repository = new EventRepositorySqlite(db);
await repository.init();
const relay = new NostrRelay(repository);
const validator = new Validator();
const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
server.on('connection', socket => {
  relay.handleConnection(socket);
  socket.on('message', async data =>
    relay.handleMessage(socket, await validator.validateIncomingMessage(data)),
  );
  socket.on('close', () => relay.handleDisconnect(socket));
});
server.on('listening', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  serveParent(`ws://127.0.0.1:${port}/`, async () => {
    server.close();
    db.close();
  });
});
