// What an ACP program says during a turn (`session/update`), as text of the answer, steps of the run and lines for
// the room. Variants it does not know are handed back so that the log keeps them.

import { type Activity, MAX_REPLY, type TurnEvents } from '../program.ts';
import { Collector, cut } from '../text.ts';

const MAX_DETAIL = 4_000;
const MAX_OBJECT = 300;
const MAX_THOUGHT = 2_000;
/** Tool calls remembered in one turn: more than any real one has. */
const MAX_TOOLS = 2_000;

type Fields = Record<string, unknown>;

export type ToolCall = {
  title: string;
  kind: string;
  status: string;
  rawInput?: unknown;
  rawOutput?: unknown;
  content: unknown[];
  locations: unknown[];
};

/** What a session is known to have cost; null before that is known. */
export type CostMeter = { total: number | null };

/** Everything one turn said, in order. One object a turn. */
export class TurnUpdates {
  readonly #events: TurnEvents;
  readonly #meter: CostMeter;
  readonly #answer = new Collector(MAX_REPLY);
  readonly #tools = new Map<string, ToolCall>();
  #thought = '';
  #thoughts = 0;
  #message: string | undefined;

  constructor(events: TurnEvents, meter: CostMeter = { total: null }) {
    this.#events = events;
    this.#meter = meter;
  }

  get answer(): string {
    return this.#answer.text();
  }

  /** What is known of a tool call so far; a permission request may name only its id. */
  tool(id: string): ToolCall | undefined {
    return this.#tools.get(id);
  }

  /** Takes one update; false when it is of a variant nobody here knows. */
  take(update: Fields): boolean {
    const variant = update.sessionUpdate;
    if (variant !== 'agent_thought_chunk') this.#endThought();
    switch (variant) {
      case 'agent_message_chunk':
        this.#chunk(update);
        return true;
      case 'agent_thought_chunk':
        this.#think(textOf(update.content));
        return true;
      case 'tool_call':
      case 'tool_call_update':
        this.#toolCall(update);
        return true;
      case 'plan':
        this.#plan(update);
        return true;
      case 'usage_update':
        this.#spent(fields(update.cost).amount);
        this.#note(
          'usage',
          'Used',
          `${text(update.used)} of ${text(update.size)} tokens`,
          costOf(update.cost),
        );
        return true;
      case 'notice':
        this.#note('notice', 'Notice', text(update.title), text(update.description));
        return true;
      case 'user_message_chunk':
      case 'available_commands_update':
      case 'current_mode_update':
      case 'config_option_update':
      case 'session_info_update':
      case 'compaction_update':
      case 'compaction_summary_chunk':
        return true;
      default:
        return false;
    }
  }

  /** Closes what is still open when the turn is over. */
  end(): void {
    this.#endThought();
    for (const [id, tool] of this.#tools) {
      if (tool.status === 'pending' || tool.status === 'in_progress') {
        this.#events.activity({ ...step(id, tool), outcome: 'failed' });
      }
    }
  }

  #chunk(update: Fields): void {
    const id = typeof update.messageId === 'string' ? update.messageId : undefined;
    // Two messages of one turn are two paragraphs; chunks of one are one text.
    if (this.#message !== undefined && id !== undefined && id !== this.#message) this.#answer.add('\n\n');
    this.#message = id ?? this.#message;
    this.#answer.add(textOf(update.content));
  }

  #think(part: string): void {
    this.#thought = (this.#thought + part).slice(0, MAX_THOUGHT * 2);
  }

  #endThought(): void {
    const thought = this.#thought.trim();
    this.#thought = '';
    if (thought === '') return;
    this.#thoughts += 1;
    const object = cut(thought.split('\n')[0] ?? '', MAX_OBJECT);
    const detail = cut(thought, MAX_THOUGHT);
    const activity: Activity = { id: `thought-${this.#thoughts}`, kind: 'think', verb: 'Thought', object };
    this.#events.activity({ ...activity, outcome: 'done', ...(detail === object ? {} : { detail }) });
  }

  #toolCall(update: Fields): void {
    const id = text(update.toolCallId);
    if (id === '') return;
    const before = this.#tools.get(id);
    if (before === undefined && this.#tools.size >= MAX_TOOLS) return;
    const tool = mergeTool(before, update);
    this.#tools.set(id, tool);
    this.#events.activity(step(id, tool));
    const status = tool.status.replace('_', ' ');
    if (before?.status !== tool.status || before.title !== tool.title) {
      this.#events.progress(`${tool.title} ${status}`.trim());
    }
  }

  #plan(update: Fields): void {
    const entries = list(update.entries).map(fields);
    const done = entries.filter(entry => entry.status === 'completed').length;
    const current = entries.find(entry => entry.status === 'in_progress');
    const marks: Record<string, string> = { completed: '[x]', in_progress: '[>]' };
    const detail = entries
      .map(entry => `${marks[text(entry.status)] ?? '[ ]'} ${text(entry.content)}`)
      .join('\n');
    this.#events.activity({
      id: 'plan',
      kind: 'plan',
      verb: 'Plan',
      object: `${done} of ${entries.length} steps done`,
      outcome: done === entries.length ? 'done' : 'running',
      detail: cut(detail, MAX_DETAIL),
    });
    if (current !== undefined) {
      this.#events.progress(`${text(current.content)} (${done + 1} of ${entries.length})`);
    }
  }

  /** The program tells what the whole session has cost: what is new is the difference. */
  #spent(total: unknown): void {
    if (typeof total !== 'number' || !(total >= 0)) return;
    const before = this.#meter.total;
    this.#meter.total = total;
    // The first figure of a session that was brought back says what earlier turns cost.
    if (before !== null && total > before) this.#events.cost(total - before);
  }

  #note(kind: string, verb: string, object: string, detail: string): void {
    const activity: Activity = { id: kind, kind, verb, object: cut(object, MAX_OBJECT) };
    this.#events.activity(detail === '' ? activity : { ...activity, detail: cut(detail, MAX_DETAIL) });
  }
}

/** A tool call after one more message about it: absent or null fields stay as they were. */
export function mergeTool(before: ToolCall | undefined, update: Fields): ToolCall {
  const kept = before ?? { title: '', kind: 'other', status: 'pending', content: [], locations: [] };
  const tool: ToolCall = {
    ...kept,
    title: text(update.title) || kept.title,
    kind: text(update.kind) || kept.kind,
    status: text(update.status) || kept.status,
    content: Array.isArray(update.content) ? update.content : kept.content,
    locations: Array.isArray(update.locations) ? update.locations : kept.locations,
  };
  if (update.rawInput !== undefined && update.rawInput !== null) tool.rawInput = update.rawInput;
  if (update.rawOutput !== undefined && update.rawOutput !== null) tool.rawOutput = update.rawOutput;
  return tool;
}

/** The text of a content block; other kinds of block as a word in brackets. */
export function textOf(content: unknown): string {
  const block = fields(content);
  if (block.type === 'text') return text(block.text);
  if (block.type === 'resource_link') return text(block.uri);
  if (block.type === 'resource') return text(fields(block.resource).text);
  return typeof block.type === 'string' ? `[${block.type}]` : '';
}

export function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

const VERBS: Record<string, string> = {
  read: 'Read',
  edit: 'Edit',
  delete: 'Delete',
  move: 'Move',
  search: 'Search',
  execute: 'Run',
  think: 'Think',
  fetch: 'Fetch',
  switch_mode: 'Switch mode',
};

const OUTCOMES: Record<string, Activity['outcome']> = {
  pending: 'pending',
  in_progress: 'running',
  completed: 'done',
  failed: 'failed',
};

function step(id: string, tool: ToolCall): Activity {
  const outcome = OUTCOMES[tool.status];
  const detail = detailOf(tool);
  return {
    id: `tool-${id}`,
    kind: tool.kind,
    verb: VERBS[tool.kind] ?? 'Use',
    object: cut(tool.title || id, MAX_OBJECT),
    ...(outcome === undefined ? {} : { outcome }),
    ...(detail === '' ? {} : { detail }),
  };
}

function detailOf(tool: ToolCall): string {
  const parts: string[] = [];
  if (tool.rawInput !== undefined) parts.push(inputText(tool.rawInput));
  for (const entry of tool.content.map(fields)) {
    if (entry.type === 'content') parts.push(textOf(entry.content));
    else if (entry.type === 'diff') parts.push(`${text(entry.path)}\n${text(entry.newText)}`);
  }
  if (tool.rawOutput !== undefined) parts.push(inputText(tool.rawOutput));
  return cut(parts.filter(part => part !== '').join('\n\n'), MAX_DETAIL);
}

/** Raw input or output as text: a string as it is, anything else as JSON. */
export function inputText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function costOf(cost: unknown): string {
  const { amount, currency } = fields(cost);
  return typeof amount === 'number' ? `${amount} ${text(currency)}`.trim() : '';
}
