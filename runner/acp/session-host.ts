// One ACP program process with its connection: the handshake, its sessions by thread, and the end of all of it. Every
// open call ends when the process does (case A14); nothing waits without a limit.

import {
  type ClientConnection,
  client,
  type InitializeResponse,
  type McpServerStdio,
  methods,
  PROTOCOL_VERSION,
  type PromptResponse,
  RequestError,
} from '@agentclientprotocol/sdk';
import packageJson from '../../package.json' with { type: 'json' };
import type { PermissionOutcome, ProgramSpec, ProgramTimes, SessionMemory, TurnEvents } from '../program.ts';
import { exitWords, type ProgramExit, ProgramProcess } from '../program-process.ts';
import type { Report } from '../status.ts';
import { cut } from '../text.ts';
import { authenticationHelp } from './authentication.ts';
import { acpStream, FrameTooLong } from './frames.ts';
import { answerAsk, readAsk } from './permission.ts';
import { type CostMeter, fields, TurnUpdates, text } from './updates.ts';

/** -32000: the program wants its user to sign in first (spec/mcp-acp.md C1). */
const AUTHENTICATION_REQUIRED = -32000;
const MAX_SESSIONS = 64;
const MAX_LOGGED = 1_000;
/** How long an exit may take to be told after its pipes are closed. */
const EXIT_TOLD_MS = 500;

/** Something a turn can be told about: the program is not there, or not usable. */
export class ProgramFailure extends Error {
  readonly authentication: boolean;

  constructor(reason: string, authentication = false) {
    super(reason);
    this.name = 'ProgramFailure';
    this.authentication = authentication;
  }
}

type ActiveTurn = { updates: TurnUpdates; events: TurnEvents; stopping: boolean };
export type Session = { id: string; fresh: boolean; turn: ActiveTurn | null; meter: CostMeter };

export type HostContext = {
  spec: ProgramSpec;
  times: ProgramTimes;
  memory: SessionMemory;
  report: Report;
  /** MCP servers every session is given. */
  mcpServers?: () => McpServerStdio[];
};

export class SessionHost {
  readonly process: ProgramProcess;
  readonly #context: HostContext;
  readonly #connection: ClientConnection;
  readonly #sessions = new Map<string, Session>();
  #init: InitializeResponse | null = null;
  #failure: ProgramFailure | null = null;
  readonly #failed = Promise.withResolvers<ProgramFailure>();
  #ended: Promise<void> | null = null;

  private constructor(process: ProgramProcess, context: HostContext) {
    this.process = process;
    this.#context = context;
    const stream = acpStream(process.child.stdout, process.child.stdin, {
      update: params => this.#update(params),
      garbage: line => this.#log('warn', `not a message: ${cut(line, MAX_LOGGED)}`),
      bytes: count => this.#bytes(count),
    });
    this.#connection = client({ name: 'tiny' })
      .onRequest(methods.client.session.requestPermission, ({ params }) => this.#permission(params))
      .connect(stream);
    void this.#connection.closed.then(() => this.#disconnected());
    void process.exited.then(exit => this.#exited(exit));
  }

  /** Starts the process and shakes hands. Rejects with ProgramFailure when it cannot be used. */
  static async open(context: HostContext): Promise<SessionHost> {
    const { report, spec } = context;
    report({ type: 'program', state: 'starting' });
    const started = await ProgramProcess.start(spec, report);
    if (!started.ok) {
      report({ type: 'program', state: 'spawn-failed', reason: started.reason });
      throw new ProgramFailure(started.reason);
    }
    const host = new SessionHost(started.process, context);
    try {
      await host.#handshake();
    } catch (error) {
      const failure = host.#fail(asFailure(error));
      await host.end();
      throw failure;
    }
    const { pid, startTime } = started.process.id;
    report({ type: 'program', state: 'ready', pid, startTime });
    return host;
  }

  /** Whether turns may still be given to it. */
  get usable(): boolean {
    return this.#failure === null && this.#ended === null;
  }

  get activeTurns(): number {
    return [...this.#sessions.values()].filter(session => session.turn !== null).length;
  }

  /** The session of a thread: the one at hand, one the program can bring back, or a new one (`fresh`). */
  async session(thread: string): Promise<Session> {
    const known = this.#sessions.get(thread);
    if (known !== undefined) return known;
    this.#forgetOldest();
    const session = await this.#opened(thread);
    this.#sessions.set(thread, session);
    this.#context.memory.set(thread, session.id);
    return session;
  }

  async #opened(thread: string): Promise<Session> {
    try {
      return (await this.#restored(thread)) ?? (await this.#newSession());
    } catch (error) {
      throw asFailure(error);
    }
  }

  /** One prompt; resolves with the program's answer, rejects with ProgramFailure. No limit of its own. */
  async prompt(
    session: Session,
    prompt: string,
    events: TurnEvents,
  ): Promise<PromptResponse & { answer: string }> {
    const turn: ActiveTurn = { updates: new TurnUpdates(events, session.meter), events, stopping: false };
    session.turn = turn;
    session.fresh = false;
    try {
      const response = await this.#request(methods.agent.session.prompt, {
        sessionId: session.id,
        prompt: [{ type: 'text', text: prompt }],
      });
      return { ...response, answer: turn.updates.answer };
    } catch (error) {
      throw asFailure(error);
    } finally {
      turn.updates.end();
      session.turn = null;
    }
  }

  /** Asks the program to stop the turn of a session; from now on it gets no permission for it. */
  cancel(session: Session): void {
    if (session.turn !== null) session.turn.stopping = true;
    void this.#connection.agent
      .notify(methods.agent.session.cancel, { sessionId: session.id })
      .catch(() => undefined); // A program that takes no input any more is ended by the caller's clock.
  }

  forget(thread: string): void {
    this.#sessions.delete(thread);
  }

  /** Ends the process and everything it started; open calls fail with the reason. */
  end(reason = 'the program was ended'): Promise<void> {
    this.#fail(new ProgramFailure(reason));
    this.#ended ??= this.#end();
    return this.#ended;
  }

  /** The first reason stands. */
  #fail(failure: ProgramFailure): ProgramFailure {
    this.#failure ??= failure;
    this.#failed.resolve(this.#failure);
    return this.#failure;
  }

  async #end(): Promise<void> {
    this.#connection.close(this.#failure);
    this.process.child.stdin.end();
    const left = await this.process.end(this.#context.times);
    await (left.length === 0 ? this.process.exited : undefined);
    for (const { pid } of left) this.#log('error', `process ${pid} could not be ended`, 'runner');
  }

  async #handshake(): Promise<void> {
    const request = this.#request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      // With `auth.terminal` programs tell the command line that signs in, which is shown to the person to run.
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        auth: { terminal: true },
      },
      clientInfo: { name: 'tiny', version: packageJson.version },
    });
    const init = await this.#within(request, 'initialize');
    if (init.protocolVersion !== PROTOCOL_VERSION) {
      throw new ProgramFailure(
        `speaks version ${init.protocolVersion} of the Agent Client Protocol, not ${PROTOCOL_VERSION}`,
      );
    }
    this.#init = init;
  }

  async #newSession(): Promise<Session> {
    const { cwd } = this.#context.spec;
    const request = this.#request(methods.agent.session.new, { cwd, mcpServers: this.#mcpServers });
    const { sessionId } = await this.#within(request, 'session/new');
    return { id: sessionId, fresh: true, turn: null, meter: { total: 0 } };
  }

  async #restored(thread: string): Promise<Session | null> {
    const id = this.#context.memory.get(thread);
    const able = this.#init?.agentCapabilities;
    const resumes = Boolean(able?.sessionCapabilities?.resume);
    if (id === undefined || !(resumes || able?.loadSession === true)) return null;
    const params = { sessionId: id, cwd: this.#context.spec.cwd, mcpServers: this.#mcpServers };
    try {
      // Loading replays the past as updates; without a turn they go nowhere, as they should.
      if (resumes) await this.#within(this.#request(methods.agent.session.resume, params), 'session/resume');
      else await this.#within(this.#request(methods.agent.session.load, params), 'session/load');
      return { id, fresh: false, turn: null, meter: { total: null } };
    } catch (error) {
      const failure = asFailure(error);
      if (failure.authentication || !this.usable) throw failure;
      this.#log('info', `session ${id} could not be brought back: ${failure.message}`, 'runner');
      return null;
    }
  }

  get #mcpServers(): McpServerStdio[] {
    return this.#context.mcpServers?.() ?? [];
  }

  #forgetOldest(): void {
    if (this.#sessions.size < MAX_SESSIONS) return;
    const idle = [...this.#sessions].find(([, session]) => session.turn === null);
    if (idle === undefined) return;
    this.#sessions.delete(idle[0]);
    if (!this.#init?.agentCapabilities?.sessionCapabilities?.close) return;
    void this.#connection.agent
      .request(methods.agent.session.close, { sessionId: idle[1].id })
      .catch(() => undefined); // Closing is a courtesy.
  }

  /** A call whose failure says what the program said, or why it is gone. */
  get #request(): ClientConnection['agent']['request'] {
    const agent = this.#connection.agent;
    return ((method: string, params: unknown) =>
      agent.request(method, params).catch(async (error: unknown) => {
        // The connection goes before the exit is told: the exit, or what else ended it, is the reason.
        if (this.#connection.signal.aborted) throw await this.#failed.promise;
        if (isPipeError(error)) throw await this.#unreachable();
        if (error instanceof RequestError && error.code === AUTHENTICATION_REQUIRED) {
          throw new ProgramFailure(authenticationHelp(this.#context.spec, this.#init, error.message), true);
        }
        throw error;
      })) as ClientConnection['agent']['request'];
  }

  /** Its input is closed: how it went is told a moment later, or it lives on and listens to nothing. */
  async #unreachable(): Promise<ProgramFailure> {
    const lives = setTimeout(() => void this.end('closed its input'), EXIT_TOLD_MS);
    return this.#failed.promise.finally(() => clearTimeout(lives));
  }

  async #within<T>(request: Promise<T>, method: string): Promise<T> {
    const { handshake } = this.#context.times;
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      const tail = this.process.stderrTail;
      const hint = tail === '' ? '' : `; it last said: ${cut(tail, 300)}`;
      reject(new ProgramFailure(`did not answer ${method} within ${Math.round(handshake / 1000)} s${hint}`));
    }, handshake);
    try {
      return await Promise.race([request, promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #permission(params: Parameters<typeof readAsk>[0]) {
    const session = [...this.#sessions.values()].find(({ id }) => id === params.sessionId);
    const turn = session?.turn;
    const ask = readAsk(params, turn?.updates.tool(params.toolCall.toolCallId));
    if (turn === null || turn === undefined || turn.stopping) {
      const reason = turn ? 'the run is being stopped' : 'there is no run to ask for';
      this.#log('info', `permission for "${cut(ask.title, 150)}" not asked: ${reason}`, 'runner');
      return answerAsk(ask, { ending: 'withdrawn', reason });
    }
    const outcome: PermissionOutcome = await turn.events.ask(ask);
    // A late yes must not set a stopped run going again (case I15).
    if (turn.stopping && outcome.ending === 'allowed') {
      return answerAsk(ask, { ending: 'withdrawn', reason: 'the run was stopped before the answer came' });
    }
    return answerAsk(ask, outcome);
  }

  #update(params: unknown): void {
    const { sessionId, update } = fields(params);
    const session = [...this.#sessions.values()].find(({ id }) => id === sessionId);
    if (session?.turn?.updates.take(fields(update))) return;
    if (session !== undefined && session.turn === null) return;
    const kind = text(fields(update).sessionUpdate) || 'nothing';
    const where = session === undefined ? ` for session ${text(sessionId)}, which is not ours` : '';
    this.#log('debug', `update "${kind}"${where}: ${cut(JSON.stringify(update) ?? '', MAX_LOGGED)}`);
  }

  #bytes(count: number): void {
    for (const { turn } of this.#sessions.values()) turn?.events.output(count);
  }

  /** The connection closed first: a message too long, or a program that closed its output and lives on. */
  #disconnected(): void {
    const { reason } = this.#connection.signal;
    if (this.#failure !== null) return;
    const words = reason instanceof FrameTooLong ? reason.message : 'closed its output or its input';
    const { child } = this.process;
    // An exit closes the pipes just before it is told: give it the first word.
    setTimeout(
      () => {
        if (child.exitCode === null && child.signalCode === null) void this.end(words);
      },
      reason instanceof FrameTooLong ? 0 : 100,
    );
  }

  async #exited(exit: ProgramExit): Promise<void> {
    const wanted = this.#ended !== null;
    const words = exitWords(this.#context.spec.command, exit);
    const said = exit.stderrTail === '' ? '' : `; it last said: ${cut(exit.stderrTail, 300)}`;
    const early = this.#init === null ? ' before it answered the handshake' : '';
    const failure = this.#fail(new ProgramFailure(`${words}${early}`));
    await this.end();
    const { code, signal, stderrTail } = exit;
    const reason = wanted ? failure.message : `${words}${early}${said}`;
    const tail = stderrTail === '' ? {} : { stderrTail };
    this.#context.report({ type: 'program', state: 'exited', code, signal, reason, ...tail });
  }

  #log(
    level: 'debug' | 'info' | 'warn' | 'error',
    words: string,
    source: 'program' | 'runner' = 'program',
  ): void {
    this.#context.report({ type: 'log', level, source, text: words });
  }
}

function isPipeError(error: unknown): boolean {
  const code = fields(error).code;
  return code === 'EPIPE' || code === 'ECONNRESET' || code === 'ERR_STREAM_DESTROYED';
}

function asFailure(error: unknown): ProgramFailure {
  if (error instanceof ProgramFailure) return error;
  if (error instanceof RequestError) {
    const detail = text(fields(error.data).details) || text(fields(error.data).message);
    return new ProgramFailure(
      `answered with an error: ${error.message}${detail === '' ? '' : ` (${cut(detail, 500)})`}`,
    );
  }
  return new ProgramFailure(error instanceof Error ? error.message : String(error));
}
