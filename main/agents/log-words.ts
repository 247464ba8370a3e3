// Status lines that a person reading an agent's log wants to see, as log lines.

import type { StatusLine } from '../../relay/protocol/runner-status.ts';
import type { LogLine } from '../contract/agents.ts';

/** The line in words, or null when the log has it already or it would only be noise. */
export function logWords(line: StatusLine): LogLine | null {
  const because = 'reason' in line && line.reason ? `: ${line.reason}` : '';
  const say = (text: string, level: LogLine['level'] = 'info'): LogLine => ({
    at: line.at,
    level,
    source: 'runner',
    text: text + because,
  });
  switch (line.type) {
    case 'ready':
      return say(`started as process ${line.pid}`);
    case 'connection':
      return line.state === 'connecting'
        ? null
        : say(`relay ${line.state}`, line.state === 'online' ? 'info' : 'warn');
    case 'program': {
      const bad = line.state !== 'starting' && line.state !== 'ready';
      return say(`program ${line.state.replace('-', ' ')}`, bad ? 'warn' : 'info');
    }
    case 'run': {
      const what = line.phase === 'ended' ? (line.ending ?? 'ended') : line.phase;
      return say(`run ${line.run.slice(0, 8)} in ${line.room} ${what}`);
    }
    case 'permission':
      return say(`permission "${line.title}" ${line.ending ?? 'asked'}`);
    case 'reply':
      return line.delivered
        ? say(`reply ${line.event.slice(0, 8)} delivered`)
        : say('reply not delivered', 'warn');
    case 'grant':
      return say(`grant ${line.state}`, line.state === 'active' ? 'info' : 'warn');
    case 'budget':
      return say(`budget ${line.state}`, line.state === 'within' ? 'info' : 'warn');
    case 'loop':
      return say(
        line.held ? `room ${line.room} held` : `room ${line.room} goes on`,
        line.held ? 'warn' : 'info',
      );
    case 'suspended':
      return say('suspended', 'error');
    case 'stopping':
      return say('stopping');
    default:
      return null;
  }
}
