// The names that fit what is typed behind `@`, above the composer.

import type { Party } from '../../main/contract/app.ts';
import { shortKey } from '../parts/key.tsx';
import { AgentMark } from '../parts/person.tsx';
import { Picture } from '../parts/picture.tsx';
import classes from './composer.module.css';

export type MentionListProps = {
  id: string;
  parties: readonly Party[];
  active: number;
  onPick: (party: Party) => void;
};

export function MentionList({ id, parties, active, onPick }: MentionListProps) {
  return (
    <div className={classes.names} id={id} role="listbox" aria-label="People and agents">
      {parties.map((party, index) => (
        <div
          key={party.pubkey}
          id={`${id}-${index}`}
          className={classes.name}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          // Before the field loses the focus, so that the caret stays where the name goes.
          onPointerDown={event => {
            event.preventDefault();
            onPick(party);
          }}
        >
          <Picture pubkey={party.pubkey} agent={party.agent} size={20} />
          <span>{party.name}</span>
          {party.agent ? <AgentMark /> : null}
          <span className={classes.key}>{shortKey(party.npub)}</span>
        </div>
      ))}
    </div>
  );
}
