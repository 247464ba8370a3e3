// The New agent form: what it holds, how that becomes the draft main signs, and where each complaint belongs.

import { type AgentDraft, agentDraft, type FoundProgram, limits } from '../../main/contract/agents.ts';
import { type LimitValues, limitProblem } from './limit-words.ts';

/** Kinds a person may add beyond what every agent of this desktop needs, in words. */
export const EXTRA_KINDS: readonly { kind: number; words: string; hint: string }[] = [
  { kind: 7, words: 'React to messages', hint: 'kind 7' },
  { kind: 1111, words: 'Comment on posts and pages', hint: 'kind 1111' },
  { kind: 1, words: 'Post short notes', hint: 'kind 1' },
  { kind: 30023, words: 'Publish articles', hint: 'kind 30023' },
];

export type FormValues = {
  name: string;
  /** Id of the found program chosen, or empty when it is typed. */
  found: string;
  command: string;
  args: string[];
  /** What keeps the typed arguments from being read, such as an open quote. */
  argsProblem: string | null;
  cwd: string;
  protocol: 'acp' | 'command';
  rooms: string[];
  /** Take on long tasks; ask others to. Together the draft's `jobs`. */
  serves: boolean;
  requests: boolean;
  kinds: number[];
  rate: number | '';
  days: number | '';
} & LimitValues;

export type Problems = Readonly<Record<string, string>>;

export function emptyForm(room: string | undefined): FormValues {
  return {
    name: '',
    found: '',
    command: '',
    args: [],
    argsProblem: null,
    cwd: '',
    protocol: 'acp',
    rooms: room === undefined ? [] : [room],
    serves: true,
    requests: true,
    kinds: [],
    rate: 60,
    days: 90,
    ...limits.parse({}),
  };
}

/** The form with a found program in it; a name the person typed stays. */
export function withProgram(values: FormValues, program: FoundProgram): FormValues {
  return {
    ...values,
    found: program.id,
    command: program.command,
    args: program.args,
    argsProblem: null,
    protocol: program.protocol,
    name: values.name.trim() === '' ? program.name : values.name,
  };
}

function raw(values: FormValues): Record<string, unknown> {
  const { serves, requests } = values;
  return {
    name: values.name,
    program: {
      command: values.command,
      args: values.args,
      cwd: values.cwd,
      protocol: values.protocol,
    },
    rooms: values.rooms,
    jobs: serves && requests ? 'both' : serves ? 'serve' : requests ? 'request' : 'none',
    kinds: values.kinds,
    rate: values.rate === '' ? undefined : values.rate,
    days: values.days === '' ? undefined : values.days,
    // What is not shown may hold anything while the question waits as long as its job.
    limits: {
      runMinutes: values.runMinutes,
      promptSeconds: values.onExpiry === 'wait' ? undefined : values.promptSeconds,
      onExpiry: values.onExpiry,
    },
  };
}

export type Checked = { draft: AgentDraft; problems: null } | { draft: null; problems: Problems };

/** The draft, or a problem per field path (`program.cwd`, `rooms`), each the first one found. */
export function checkForm(values: FormValues): Checked {
  const parsed = agentDraft.safeParse(raw(values));
  if (parsed.success && values.argsProblem === null) return { draft: parsed.data, problems: null };
  const problems: Record<string, string> = {};
  if (values.argsProblem !== null) problems['program.args'] = values.argsProblem;
  for (const issue of parsed.error?.issues ?? []) {
    const path = issue.path.join('.');
    const [, limit] = /^limits\.(.+)$/.exec(path) ?? [];
    const words = limit === undefined ? issue.message : limitProblem(parsed.error, limit);
    problems[path] ??=
      path === 'rate' || path === 'days' ? numberProblem(path, issue.message) : (words ?? issue.message);
  }
  return { draft: null, problems };
}

function numberProblem(path: string, message: string): string {
  return /^At /.test(message)
    ? message
    : path === 'rate'
      ? 'Write a number, 1 to 600'
      : 'Write a number, 1 to 365';
}

/**
 * A draft for the live preview while the form is not yet whole: fields still empty get a stand-in, and `blank` names
 * them so that complaints about a stand-in are not shown. Null while what is typed is wrong.
 */
export function previewDraft(values: FormValues): { draft: AgentDraft; blank: string[] } | null {
  const blank: string[] = [];
  const stand = (path: string, value: string, instead: string): string => {
    if (value.trim() !== '') return value;
    blank.push(path);
    return instead;
  };
  const filled: FormValues = {
    ...values,
    name: stand('name', values.name, 'Agent'),
    command: stand('program.command', values.command, 'program'),
    cwd: stand('program.cwd', values.cwd, '.'),
  };
  const checked = checkForm(filled);
  return checked.draft === null ? null : { draft: checked.draft, blank };
}

/** Complaints of the preview without those about stand-ins; `program.args.2` also speaks for `program.args`. */
export function shownProblems(problems: Problems, blank: readonly string[]): Problems {
  const shown: Record<string, string> = {};
  for (const [path, problem] of Object.entries(problems)) {
    if (blank.includes(path)) continue;
    shown[path] = problem;
    const parent = path.replace(/\.\d+$/, '');
    if (parent !== path) shown[parent] ??= problem;
  }
  return shown;
}

/** A short, safe folder name out of an agent's name. */
export function folderName(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return slug === '' ? 'agent' : slug.slice(0, 40);
}
