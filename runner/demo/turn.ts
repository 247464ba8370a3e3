// One answer of the demo agent: a plan, a look at the folder, the question, the file, and what came of it.

import { lstat, mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type AgentContext,
  methods,
  RequestError,
  type SessionUpdate,
  type ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import type { DemoRequest } from './understand.ts';

/** What the runner adds to its answers, so that a program can tell the endings apart. */
const PERMISSION_META = 'tiny/permission';
const STEP_MS = 1_500;
const SLOW_STEPS = 20;

type Answer = 'allowed' | 'denied' | 'expired' | 'withdrawn' | { refused: string };

export class Turn {
  readonly #client: AgentContext;
  readonly #sessionId: string;
  readonly #cwd: string;
  readonly #signal: AbortSignal;
  #done = 0;
  #steps: string[] = [];

  constructor(client: AgentContext, sessionId: string, cwd: string, signal: AbortSignal) {
    this.#client = client;
    this.#sessionId = sessionId;
    this.#cwd = cwd;
    this.#signal = signal;
  }

  /** Works through the request; returns early, silently, when it is cancelled. */
  async run(request: DemoRequest): Promise<void> {
    if (request.help) return this.#say(HELP);
    if (request.greeting) await this.#say(GREETING);
    this.#steps = [
      'Look at my folder',
      ...(request.slow ? ['Think it over slowly'] : []),
      `Write ${request.file.name}`,
    ];
    await this.#plan();
    const count = await this.#look();
    await this.#next();
    if (request.slow) await this.#walk();
    if (this.#signal.aborted) return;
    await this.#write(request.file, count);
  }

  async #look(): Promise<number> {
    const toolCallId = crypto.randomUUID();
    await this.#tool(toolCallId, { title: `Look at ${this.#cwd}`, kind: 'read', status: 'in_progress' });
    const names = await readdir(this.#cwd).catch(() => []);
    const rawOutput = { files: names.length };
    await this.#update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', rawOutput });
    return names.length;
  }

  /** Half a minute of visible steps, so that there is time to press Cancel. */
  async #walk(): Promise<void> {
    const toolCallId = crypto.randomUUID();
    for (let step = 1; step <= SLOW_STEPS; step += 1) {
      const title = `Step ${step} of ${SLOW_STEPS}`;
      if (step === 1) await this.#tool(toolCallId, { title, kind: 'think', status: 'in_progress' });
      else await this.#update({ sessionUpdate: 'tool_call_update', toolCallId, title });
      // Cancel ends the waiting at once.
      await pause(STEP_MS, undefined, { signal: this.#signal }).catch(() => undefined);
      if (this.#signal.aborted) break;
    }
    const status = this.#signal.aborted ? 'failed' : 'completed';
    await this.#update({ sessionUpdate: 'tool_call_update', toolCallId, status });
    await this.#next();
  }

  async #write(file: DemoRequest['file'], count: number): Promise<void> {
    const path = join(this.#cwd, file.name);
    const toolCallId = crypto.randomUUID();
    const before = await readFile(path, 'utf8').catch(() => null);
    const call = {
      title: `Write ${file.name}`,
      kind: 'edit' as const,
      status: 'pending' as const,
      locations: [{ path }],
      rawInput: { path: file.name },
      content: [{ type: 'diff' as const, path, oldText: before, newText: file.text }],
    };
    await this.#tool(toolCallId, call);
    const answer = await this.#ask({ toolCallId, ...call });
    if (this.#signal.aborted) return;
    const written = answer === 'allowed' ? await this.#save(path, file.text) : null;
    const status = written === '' ? 'completed' : 'failed';
    await this.#update({ sessionUpdate: 'tool_call_update', toolCallId, status });
    if (written === '') await this.#next();
    await this.#say(outcome(file, answer, written, count));
  }

  async #ask(toolCall: ToolCallUpdate): Promise<Answer> {
    try {
      const { outcome: chosen, _meta } = await this.#client.request(
        methods.client.session.requestPermission,
        {
          sessionId: this.#sessionId,
          toolCall,
          options: [
            { optionId: 'write', name: 'Write the file', kind: 'allow_once' },
            { optionId: 'leave', name: 'Leave it', kind: 'reject_once' },
          ],
        },
        { cancellationSignal: this.#signal, stopWaitingOnCancel: true },
      );
      if (chosen.outcome === 'selected' && chosen.optionId === 'write') return 'allowed';
      const meta = _meta?.[PERMISSION_META] as { ending?: string; reason?: string } | undefined;
      if (meta?.ending === 'expired') return 'expired';
      if (meta?.ending === 'refused') return { refused: meta.reason ?? 'no reason given' };
      return chosen.outcome === 'selected' ? 'denied' : 'withdrawn';
    } catch (error) {
      if (error instanceof RequestError) return { refused: error.message };
      throw error;
    }
  }

  /** Writes inside the working folder only, whatever links lie on the way; answers what went wrong, or ''. */
  async #save(path: string, text: string): Promise<string> {
    try {
      const inside = relative(await realpath(this.#cwd), await realpath(await nearestFolder(dirname(path))));
      if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside))
        return 'it lies outside my folder';
      if ((await lstat(path).catch(() => null))?.isSymbolicLink()) return 'it is a link to another place';
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
      return '';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async #next(): Promise<void> {
    this.#done += 1;
    await this.#plan();
  }

  #plan(): Promise<void> {
    const entries = this.#steps.map((content, index) => ({
      content,
      priority: 'medium' as const,
      status:
        index < this.#done
          ? ('completed' as const)
          : index === this.#done
            ? ('in_progress' as const)
            : ('pending' as const),
    }));
    return this.#update({ sessionUpdate: 'plan', entries });
  }

  #tool(
    toolCallId: string,
    call: Omit<SessionUpdate & { sessionUpdate: 'tool_call' }, 'sessionUpdate' | 'toolCallId'>,
  ) {
    return this.#update({ sessionUpdate: 'tool_call', toolCallId, ...call });
  }

  #say(text: string): Promise<void> {
    return this.#update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  }

  #update(update: SessionUpdate): Promise<void> {
    return this.#client.notify(methods.client.session.update, { sessionId: this.#sessionId, update });
  }
}

/** The folder itself, or the first one above it that is there. */
async function nearestFolder(path: string): Promise<string> {
  const there = await lstat(path).catch(() => null);
  return there === null ? nearestFolder(dirname(path)) : path;
}

const GREETING =
  'Hello, I am the demo agent. I have no model and no network: I show how an agent works here. ' +
  'Say `help` to see what I can do.\n\n';

const HELP = [
  'I can write small files in my own folder, and I ask you before each one.',
  '',
  '- `write hello.md: any text` writes that text to that file.',
  '- Anything else becomes a note under `notes/`.',
  '- With the word `slow` I take about half a minute, so that you can try Cancel.',
  '',
  'Approve, deny, or let the question expire: I will tell you what happened.',
].join('\n');

function outcome(file: DemoRequest['file'], answer: Answer, problem: string | null, count: number): string {
  if (problem === '') {
    const bytes = Buffer.byteLength(file.text);
    return `Done. You allowed it, so I wrote \`${file.name}\` (${bytes} bytes). My folder had ${count} entries before.`;
  }
  if (answer === 'allowed') return `You allowed it, but I could not write \`${file.name}\`: ${problem}.`;
  if (answer === 'denied') return `You refused, so I did not write \`${file.name}\`. Nothing was changed.`;
  if (answer === 'expired') {
    return `The question expired before anybody answered, so I did not write \`${file.name}\`. Ask me again when it suits you.`;
  }
  if (answer === 'withdrawn') return `The question was withdrawn, so I did not write \`${file.name}\`.`;
  return `I could not ask you, so I did not write \`${file.name}\`: ${answer.refused}.`;
}
