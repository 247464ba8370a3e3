// Log lines as the pages show them: what was there and what came since, searched, and as text to copy. Pure.

import type { LogLine } from '../../main/contract/agents.ts';

/** Lines kept on screen; the file holds the rest. */
export const MOST_LINES = 2000;

/** The answer to a call with the lines pushed meanwhile, each once, the newest kept. */
export function joinLines(asked: readonly LogLine[], pushed: readonly LogLine[]): LogLine[] {
  const last = asked.at(-1);
  if (last === undefined) return pushed.slice(-MOST_LINES);
  const tail = new Set(asked.filter(line => line.at === last.at).map(keyOf));
  const newer = pushed.filter(line => line.at > last.at || (line.at === last.at && !tail.has(keyOf(line))));
  return [...asked, ...newer].slice(-MOST_LINES);
}

function keyOf(line: LogLine): string {
  return `${line.level} ${line.source} ${line.text}`;
}

export type LogSearch = { words: string; level: LogLine['level'] };
const ORDER: readonly LogLine['level'][] = ['debug', 'info', 'warn', 'error'];

/** Lines of that level or worse that hold every word, whatever its case. */
export function searchLines(lines: readonly LogLine[], { words, level }: LogSearch): LogLine[] {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word !== '');
  const least = ORDER.indexOf(level);
  return lines.filter(line => {
    if (ORDER.indexOf(line.level) < least) return false;
    const text = `${line.source} ${line.text}`.toLowerCase();
    return wanted.every(word => text.includes(word));
  });
}

/** Lines as they would stand in a file. */
export function linesText(lines: readonly LogLine[]): string {
  return lines
    .map(line => `${new Date(line.at).toISOString()} ${line.level} ${line.source} ${line.text}`)
    .join('\n');
}
