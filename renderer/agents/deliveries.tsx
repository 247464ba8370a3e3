// Events the agent made that the relay does not hold: still to be delivered, or refused for good (case C5).

import type { AgentView } from '../../main/contract/agents.ts';
import { Key } from '../parts/key.tsx';
import { Section } from '../parts/page.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { Verbatim } from '../parts/verbatim.tsx';
import classes from './agents.module.css';
import { kindWord } from './grant-words.ts';

export function Deliveries({ agent }: { agent: AgentView }) {
  const { undelivered, refused } = agent;
  if (undelivered === 0 && refused.length === 0) return null;
  return (
    <Section title="Not on the relay">
      {undelivered === 0 ? null : (
        <div className={classes.row}>
          <span className={classes.lead}>
            <StateMark state="queued" />
          </span>
          <span className={classes.rowText} data-wrap>
            {undelivered === 1 ? '1 event waits' : `${undelivered} events wait`} to be delivered. They are
            kept and sent as soon as the relay takes them.
          </span>
        </div>
      )}
      {[...refused].reverse().map(event => (
        <div key={event.event} className={classes.row}>
          <span className={classes.lead}>
            <StateMark state="failed" />
          </span>
          <span className={classes.rowText} data-wrap>
            The relay refused {kindWord(event.kind)}
            <Verbatim text={event.reason} />
          </span>
          <Key value={event.event} hex what="event id" />
        </div>
      ))}
    </Section>
  );
}
