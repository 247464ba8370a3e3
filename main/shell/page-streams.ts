// The open pages of the browser shell: each holds one stream of server-sent events over which main pushes. A page that
// cannot keep up is cut off; it reconnects and asks for everything again.

import type { ServerResponse } from 'node:http';
import type { PushName, PushValue } from '../contract/features.ts';

export type PageStreams = {
  /** Answers with the stream and keeps it open. `page` is the page's own name for itself. */
  attach(response: ServerResponse, page: string): void;
  push<N extends PushName>(name: N, value: PushValue<N>): void;
  /** Pages that listen now. */
  count(): number;
  close(): void;
};

/** Bytes a page may be behind before it counts as stuck. */
const mostBehind = 8 * 1024 * 1024;
/** Proxies and sleeping machines drop silent connections; a comment line keeps them and shows the dead ones. */
const heartbeatMs = 25_000;

export function createPageStreams(onGone: (page: string) => void): PageStreams {
  const streams = new Map<ServerResponse, string>();
  let heartbeat: NodeJS.Timeout | undefined;

  function send(response: ServerResponse, text: string): void {
    if (response.writableLength > mostBehind) response.destroy();
    else response.write(text);
  }

  function detach(response: ServerResponse): void {
    const page = streams.get(response);
    if (page === undefined) return;
    streams.delete(response);
    if (streams.size === 0) clearInterval(heartbeat);
    if (![...streams.values()].includes(page)) onGone(page);
  }

  return {
    attach(response, page) {
      response.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        connection: 'keep-alive',
      });
      // `late` tells a page that comes back to ask again: what was pushed meanwhile is not kept.
      response.write(`retry: 1000\nevent: hello\ndata: ${JSON.stringify({ page, late: true })}\n\n`);
      if (streams.size === 0) {
        heartbeat = setInterval(() => {
          for (const each of streams.keys()) send(each, ': still here\n\n');
        }, heartbeatMs);
        heartbeat.unref();
      }
      streams.set(response, page);
      response.once('close', () => detach(response));
      // A reset by the browser is how a closed tab looks from here.
      response.on('error', () => detach(response));
    },
    push(name, value) {
      const text = `data: ${JSON.stringify({ name, value })}\n\n`;
      for (const response of streams.keys()) send(response, text);
    },
    count: () => streams.size,
    close() {
      clearInterval(heartbeat);
      for (const response of streams.keys()) response.end();
    },
  };
}
