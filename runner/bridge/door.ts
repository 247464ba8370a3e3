// Where the bridge is reached: a Unix socket only this user can open, or a named pipe nobody can guess. Each connection
// is one MCP host (spec/mcp-acp.md C2).

import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Programs that may speak at once: one a session of the agent program, with room to spare. */
const MAX_CONNECTIONS = 64;
/** Bytes of a socket's path that every system takes. */
const MAX_PATH = 100;

export class Door {
  readonly path: string;
  readonly #server: Server;
  readonly #folder: string | null;
  readonly #open = new Set<Socket>();

  private constructor(path: string, folder: string | null, take: (line: Socket) => void) {
    this.path = path;
    this.#folder = folder;
    // Half open: a host that ends its input still gets the answers to what it asked.
    this.#server = createServer({ allowHalfOpen: true }, line => {
      this.#open.add(line);
      line.on('error', () => undefined); // A program that is gone is told by the close.
      line.once('close', () => this.#open.delete(line));
      take(line);
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** Opens a door beside the file (its lock must be held: what lies there is a leftover). Rejects when it cannot. */
  static async beside(file: string, take: (line: Socket) => void): Promise<Door> {
    const { path, folder } = place(file);
    const door = new Door(path, folder, take);
    await door.#listen();
    return door;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()));
    for (const line of this.#open) line.destroy();
    await closed;
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
  }

  #listen(): Promise<void> {
    const windows = process.platform === 'win32';
    if (!windows) rmSync(this.path, { force: true });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    // The socket is made inside listen: from its first moment it is this user's alone.
    const umask = windows ? 0 : process.umask(0o177);
    try {
      this.#server.listen(this.path, () => {
        if (!windows) chmodSync(this.path, 0o600);
        this.#server.off('error', reject);
        resolve();
      });
    } finally {
      if (!windows) process.umask(umask);
    }
    return promise;
  }
}

/** The name of the socket; in a folder of its own where the file's path is too long for one. */
function place(file: string): { path: string; folder: string | null } {
  if (process.platform === 'win32') return { path: `\\\\.\\pipe\\tiny-${randomUUID()}`, folder: null };
  const path = join(dirname(file), 'mcp.sock');
  if (Buffer.byteLength(path) <= MAX_PATH) return { path, folder: null };
  const folder = mkdtempSync(join(tmpdir(), 'tiny-mcp-'));
  return { path: join(folder, 'mcp.sock'), folder };
}
