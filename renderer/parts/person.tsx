// A person or an agent: picture, name, and for agents a mark that says so.

import { useParty } from './live.ts';
import classes from './person.module.css';
import { Picture } from './picture.tsx';

/** The word beside an agent's name. */
export function AgentMark() {
  return <span className={classes.agent}>agent</span>;
}

export type PersonProps = {
  pubkey: string;
  /** Edge of the picture in pixels; 0 for none. */
  size?: number;
  /** Agents link to their page unless this is false. */
  link?: boolean;
};

export function Person({ pubkey, size = 20, link = true }: PersonProps) {
  const party = useParty(pubkey);
  const name = (
    <span className={classes.name}>
      {party.me && party.name !== 'You' ? `${party.name} (you)` : party.name}
    </span>
  );
  return (
    <span className={classes.person} title={party.npub}>
      {size > 0 ? <Picture pubkey={pubkey} agent={party.agent} size={size} /> : null}
      {party.agent && link ? (
        <a className={classes.link} href={`#/agents/${pubkey}`}>
          {name}
        </a>
      ) : (
        name
      )}
      {party.agent ? <AgentMark /> : null}
    </span>
  );
}
