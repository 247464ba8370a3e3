// The ten newest events of an agent on the relay, by what they are, with their text and place.

import { useEffect } from 'react';
import type { AgentView } from '../../main/contract/agents.ts';
import type { NostrEvent } from '../../relay/protocol/event.ts';
import { tagValue } from '../../relay/protocol/tags.ts';
import { queries, useCall } from '../bridge.ts';
import { FailureNote } from '../parts/failure.tsx';
import { RowSkeletons } from '../parts/skeletons.tsx';
import { Visible } from '../parts/verbatim.tsx';
import { When } from '../parts/when.tsx';
import classes from './agents.module.css';
import { kindWord } from './grant-words.ts';

export function RecentActivity({ agent }: { agent: AgentView }) {
  const { pubkey, lastEvent } = agent;
  const events = useCall('agents.events', { pubkey });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a newer event is why it is asked again
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ['agents.events', { pubkey }] });
  }, [pubkey, lastEvent]);
  if (events.isPending) return <RowSkeletons rows={4} />;
  if (events.error !== null) {
    return <FailureNote error={events.error} onRetry={() => void events.refetch()} />;
  }
  if (events.data.length === 0) return <p className={classes.small}>It has published nothing yet.</p>;
  return events.data.slice(0, 10).map(event => <EventRow key={event.id} event={event} />);
}

function EventRow({ event }: { event: NostrEvent }) {
  const room = tagValue(event, 'h');
  const line = event.content.split('\n').find(candidate => candidate.trim() !== '') ?? '';
  return (
    <div className={classes.row}>
      <span className={classes.kind}>{kindWord(event.kind)}</span>
      <span className={classes.rowText} title={event.id}>
        <Visible text={line.slice(0, 200)} />
      </span>
      {room === undefined ? null : (
        <a className={classes.small} href={`#/rooms/${encodeURIComponent(room)}`}>
          #{room}
        </a>
      )}
      <span className={classes.small}>
        <When seconds={event.created_at} />
      </span>
    </div>
  );
}
