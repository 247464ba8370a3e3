// What became of a message that names an agent, until a job shows it: queued, or held up and why (case C1). Acceptance
// by the relay is not delivery.

import { memo } from 'react';
import { address } from '../frame/router.ts';
import { useStanding } from '../parts/live.ts';
import { StateMark, stateWord } from '../parts/state-mark.tsx';
import { When } from '../parts/when.tsx';
import classes from './message-row.module.css';

export type MentionStandingProps = { event: string; named: readonly string[] };

export const MentionStanding = memo(function MentionStanding({ event, named }: MentionStandingProps) {
  const stands = useStanding(event, named);
  return stands.map(at => (
    <p key={at.pubkey} className={classes.standing}>
      <StateMark state={at.queuedSince === undefined ? at.state : 'queued'} as="plain" reason={at.reason} />
      {at.queuedSince === undefined ? (
        <span>
          <a href={address('agents', at.pubkey)}>{at.name}</a> is {stateWord(at.state)} and has not taken this
          on.
        </span>
      ) : (
        <span>
          for <a href={address('agents', at.pubkey)}>{at.name}</a>, <When ms={at.queuedSince} />
        </span>
      )}
    </p>
  ));
});
