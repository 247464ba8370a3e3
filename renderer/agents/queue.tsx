// What waits for the agent, in the order it will be taken, each with who asked, where and since when.

import type { AgentView } from '../../main/contract/agents.ts';
import { useNow } from '../parts/now.ts';
import { Person } from '../parts/person.tsx';
import { exactTime, span } from '../parts/time-words.ts';
import { Visible } from '../parts/verbatim.tsx';
import classes from './agents.module.css';

export function Queue({ agent }: { agent: AgentView }) {
  const now = useNow();
  return agent.queue.map(entry => (
    <div key={entry.event} className={classes.row}>
      <Person pubkey={entry.author} size={18} />
      <span className={classes.rowText} title={entry.prompt.slice(0, 2000)}>
        <Visible text={entry.prompt.slice(0, 200)} />
      </span>
      <a className={classes.small} href={`#/rooms/${encodeURIComponent(entry.room)}`}>
        #{entry.room}
      </a>
      <span className={classes.small} title={exactTime(entry.since)}>
        waiting {span(Math.max(0, now - entry.since))}
      </span>
    </div>
  ));
}
