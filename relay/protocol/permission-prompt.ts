// What a runner's permission prompt says (kind 9, request=approve; spec/decisions.md 10): built here by the runner
// and taken apart here by the dashboard. Nothing is ever cut: what cannot be shown whole is not asked.
//
// The content, so that a plain client reads it top to bottom and a program finds every part again:
//
//   <why: one line, the question>
//
//   <title: what the program calls the action, one line>
//
//   <Heading> (<n> lines):
//   <exactly n lines, untouched>
//
//   <the next section, and so on>
//
// Headings: `Title` (a title of several lines; the title line then says "See below"), `Command`, `Input`, `Details`,
// `File <path>, before`, `File <path>, after`, `File <path>, new`, `Places`, `Answers`. A path with a line break or a
// quotation mark is written as a JSON string. Tags beside the usual ones: ["tool", kind], ["folder", path] and
// ["job", id of the 43001 it is asked for]; with ["rule", id] it was allowed beforehand and nobody is waited for.

import type { NostrEvent } from './event.ts';
import { KIND } from './kinds.ts';
import { tagValue } from './tags.ts';

export type PermissionDiff = { path: string; before: string; after: string; isNew: boolean };

/** One action a program wants to take. Texts are whole and unaltered. */
export type PermissionAction = {
  why: string;
  title: string;
  /** The command line itself, when the input is one. */
  command?: string;
  /** The raw input as text: pretty JSON, or the string it is. */
  input?: string;
  details: string[];
  diffs: PermissionDiff[];
  /** Files the action touches, as `path` or `path:line`. */
  places: string[];
  /** What approving and denying answer the program, as it worded them. */
  answers: string[];
};

export type ParsedPermission = PermissionAction & {
  /** Everything of the action below the question, as it stands in the event. */
  text: string;
  tool?: string;
  folder?: string;
};

/** Bytes of raw input, and of the whole content, that are still shown to a person. */
export const MAX_PERMISSION_INPUT = 16_000;
export const MAX_PERMISSION_CONTENT = 64_000;

const SEE_BELOW = 'See below';

/** The content of a prompt, or why the action cannot be shown whole. */
export function permissionContent(
  action: PermissionAction,
): { ok: true; content: string } | { ok: false; reason: string } {
  const input = bytes(action.input ?? action.command ?? '');
  if (input > MAX_PERMISSION_INPUT) {
    return { ok: false, reason: tooLong('its input', input, MAX_PERMISSION_INPUT) };
  }
  const oneLine = !/[\n\r]/.test(action.title) && action.title !== '';
  const parts = [flat(action.why), oneLine ? action.title : SEE_BELOW, ...sectionsOf(action, oneLine)];
  const content = parts.join('\n\n');
  const size = bytes(content);
  if (size > MAX_PERMISSION_CONTENT) {
    return { ok: false, reason: tooLong('it', size, MAX_PERMISSION_CONTENT) };
  }
  return { ok: true, content };
}

/** The parts of a prompt, or null when the event is no runner's prompt or does not hold together. */
export function parsePermissionPrompt(
  event: Pick<NostrEvent, 'kind' | 'tags' | 'content'>,
): ParsedPermission | null {
  if (event.kind !== KIND.chat || tagValue(event, 'request') !== 'approve') return null;
  const lines = event.content.split('\n');
  const [why, gap, title] = lines;
  if (why === undefined || gap !== '' || title === undefined || title === '') return null;
  const sections = readSections(lines, 3);
  if (sections === null) return null;
  const action = actionOf(why, title, sections);
  if (action === null) return null;
  const tool = tagValue(event, 'tool');
  const folder = tagValue(event, 'folder');
  return {
    ...action,
    text: lines.slice(2).join('\n'),
    ...(tool === undefined ? {} : { tool }),
    ...(folder === undefined ? {} : { folder }),
  };
}

type Section = { heading: string; body: string };

function sectionsOf(action: PermissionAction, titleShown: boolean): string[] {
  const found: string[] = [];
  const add = (heading: string, body: string) => {
    const lines = body.split('\n').length;
    found.push(`${heading} (${lines} ${lines === 1 ? 'line' : 'lines'}):\n${body}`);
  };
  if (!titleShown) add('Title', action.title);
  if (action.command !== undefined) add('Command', action.command);
  if (action.input !== undefined) add('Input', action.input);
  for (const detail of action.details) add('Details', detail);
  for (const diff of action.diffs) {
    const file = `File ${pathText(diff.path)}`;
    if (!diff.isNew) add(`${file}, before`, diff.before);
    add(diff.isNew ? `${file}, new` : `${file}, after`, diff.after);
  }
  if (action.places.length > 0) add('Places', action.places.map(flat).join('\n'));
  if (action.answers.length > 0) add('Answers', action.answers.map(flat).join('\n'));
  return found;
}

const HEADING = /^(.+) \((\d+) lines?\):$/;

function readSections(lines: string[], from: number): Section[] | null {
  const sections: Section[] = [];
  let at = from;
  while (at < lines.length) {
    const match = lines[at] === '' ? HEADING.exec(lines[at + 1] ?? '') : null;
    if (match === null) return null;
    const end = at + 2 + Number(match[2]);
    if (end > lines.length) return null;
    sections.push({ heading: match[1] ?? '', body: lines.slice(at + 2, end).join('\n') });
    at = end;
  }
  return sections;
}

function actionOf(why: string, title: string, sections: Section[]): PermissionAction | null {
  const action: PermissionAction = { why, title, details: [], diffs: [], places: [], answers: [] };
  let before: { path: string; text: string } | null = null;
  for (const { heading, body } of sections) {
    const file = /^File (.+), (before|after|new)$/.exec(heading);
    const path = file === null ? null : readPath(file[1] ?? '');
    if (before !== null && (path !== before.path || file?.[2] !== 'after')) return null;
    if (heading === 'Title') action.title = body;
    else if (heading === 'Command') action.command = body;
    else if (heading === 'Input') action.input = body;
    else if (heading === 'Details') action.details.push(body);
    else if (heading === 'Places') action.places = body.split('\n');
    else if (heading === 'Answers') action.answers = body.split('\n');
    else if (path === null) return null;
    else if (file?.[2] === 'before') before = { path, text: body };
    else {
      const isNew = file?.[2] === 'new';
      if (!isNew && before === null) return null;
      action.diffs.push({ path, before: before?.text ?? '', after: body, isNew });
      before = null;
    }
  }
  return before === null ? action : null;
}

function pathText(path: string): string {
  return /[\n\r"]/.test(path) ? JSON.stringify(path) : path;
}

function readPath(text: string): string | null {
  if (!text.startsWith('"')) return text;
  try {
    const path: unknown = JSON.parse(text);
    return typeof path === 'string' ? path : null;
  } catch {
    // A quotation mark that opens no JSON string is no path of ours.
    return null;
  }
}

function flat(text: string): string {
  return text.replace(/\s*[\n\r]+\s*/g, ' ').trim();
}

function tooLong(what: string, size: number, limit: number): string {
  return `the action is too long to show whole: ${what} has ${size} bytes, the limit is ${limit}`;
}

function bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
