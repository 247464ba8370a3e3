// What a runner says about itself: status lines (relay/protocol/runner-status.ts), as JSON for a supervisor or as
// plain lines for a person, on stderr either way.

import type { StatusLine } from '../relay/protocol/runner-status.ts';

type Timeless<T> = T extends unknown ? Omit<T, 'at'> : never;

/** A status line before it is given its time. */
export type Status = Timeless<StatusLine>;
export type Report = (status: Status) => void;

/** Writes status lines to a stream that may go away at any moment (a supervisor that ended). */
export function reportTo(stream: NodeJS.WritableStream, json: boolean): Report {
  stream.on('error', () => {
    // Nobody reads any more; the runner's own work does not depend on being watched.
  });
  return status => {
    const line = { ...status, at: Date.now() } as StatusLine;
    const text = json ? JSON.stringify(line) : words(line);
    if (text !== null) stream.write(`${text}\n`);
  };
}

const PROGRAM_LINES_A_SECOND = 100;

/** The same, but of what a program says at most 100 log lines a second; how many were left out is said. */
export function throttled(report: Report): Report {
  let second = 0;
  let count = 0;
  return status => {
    if (status.type !== 'log' || status.source !== 'program') return report(status);
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) {
      const left = count - PROGRAM_LINES_A_SECOND;
      second = now;
      count = 0;
      const text = `${left} lines of the program left out: too many at once`;
      if (left > 0) report({ type: 'log', level: 'warn', source: 'runner', text });
    }
    count += 1;
    if (count <= PROGRAM_LINES_A_SECOND) report(status);
  };
}

/** A status line as a person reads it in a terminal; null for what only a program wants to know. */
function words(line: StatusLine): string | null {
  const because = 'reason' in line && line.reason ? `: ${line.reason}` : '';
  switch (line.type) {
    case 'ready':
      return `runner of ${line.pubkey} is up (pid ${line.pid})`;
    case 'connection':
      return `relay ${line.state}${because}`;
    case 'program':
      return `program ${line.state}${because}`;
    case 'run':
      return `run ${line.run.slice(0, 8)} in ${line.room} ${line.ending ?? line.phase}${because}`;
    case 'permission':
      return `permission "${line.title}" ${line.ending ?? 'asked'}`;
    case 'reply':
      return `reply ${line.event.slice(0, 8)} ${line.delivered ? 'delivered' : 'waiting'}${because}`;
    case 'grant':
      return `grant ${line.state}${because}`;
    case 'budget':
      return `budget ${line.state}${because}`;
    case 'loop':
      return `room ${line.room} ${line.held ? 'held' : 'goes on'}${because}`;
    case 'suspended':
      return `suspended (${line.kind})${because}`;
    case 'log':
      return `${line.source} ${line.level}: ${line.text}`;
    case 'stopping':
      return `stopping${because}`;
    case 'outbox':
      return line.refused.length > 0 ? `refused by the relay: ${line.refused.at(-1)?.reason}` : null;
    default:
      return null;
  }
}
