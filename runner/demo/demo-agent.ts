// The agent that ships with the program: a real ACP agent without a model and without network. It greets, plans,
// reports, asks before it writes a file in its own working folder, and says truthfully what became of it.

import { Readable, Writable } from 'node:stream';
import { agent, methods, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import packageJson from '../../package.json' with { type: 'json' };
import { Turn } from './turn.ts';
import { readRequest } from './understand.ts';

type Session = { cwd: string; turns: number; stop: AbortController | null };

const sessions = new Map<string, Session>();

const app = agent({ name: 'tiny-demo' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: PROTOCOL_VERSION,
    agentCapabilities: { loadSession: false },
    agentInfo: { name: 'tiny-demo', title: 'Tiny demo agent', version: packageJson.version },
    authMethods: [],
  }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    const sessionId = crypto.randomUUID();
    sessions.set(sessionId, { cwd: params.cwd, turns: 0, stop: null });
    return { sessionId };
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const session = sessions.get(params.sessionId);
    if (session === undefined) throw new Error(`no session ${params.sessionId}`);
    const stop = new AbortController();
    session.stop = stop;
    session.turns += 1;
    const text = params.prompt.map(block => (block.type === 'text' ? block.text : '')).join('\n');
    const turn = new Turn(client, params.sessionId, session.cwd, stop.signal);
    try {
      await turn.run(readRequest(text, session.turns));
      return { stopReason: stop.signal.aborted ? ('cancelled' as const) : ('end_turn' as const) };
    } finally {
      session.stop = null;
    }
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => {
    sessions.get(params.sessionId)?.stop?.abort();
  });

const connection = app.connect(
  ndJsonStream(
    Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
    Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
  ),
);
await connection.closed;
process.exit(0);
