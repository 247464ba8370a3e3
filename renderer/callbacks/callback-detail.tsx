// One callback: its facts, its buttons, and the last POSTs with what came of each.

import { Button } from '@mantine/core';
import type { CallbackLogEntry, CallbackView } from '../../main/contract/callbacks.ts';
import { useAct, useCall } from '../bridge.ts';
import { FailureNote } from '../parts/failure.tsx';
import { Key } from '../parts/key.tsx';
import { Facts, Section } from '../parts/page.tsx';
import { Person } from '../parts/person.tsx';
import { RowSkeletons } from '../parts/skeletons.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { Verbatim, Visible } from '../parts/verbatim.tsx';
import { When } from '../parts/when.tsx';
import { CallbackButtons } from './callback-buttons.tsx';
import { outcomeWords, statusWords, waitWords } from './callback-words.ts';
import classes from './callbacks.module.css';
import { useCallbackActs, useNames } from './use-callbacks.ts';

export function CallbackDetail({ callback }: { callback: CallbackView }) {
  const acts = useCallbackActs(callback.id);
  const names = useNames();
  const { id, owner, url, host, filter, created, lastDelivery, failures } = callback;
  return (
    <>
      <div className={classes.buttons}>
        <CallbackButtons callback={callback} acts={acts} />
      </div>
      <FailureNote error={acts.error} />
      <Section title="Waits for">
        <p className={classes.words}>
          <Visible text={waitWords(filter, names)} />
        </p>
        <Verbatim text={JSON.stringify(filter)} />
      </Section>
      <Section title="Facts">
        <Facts
          rows={[
            ['Belongs to', <Person key="owner" pubkey={owner} />],
            [
              url === undefined ? 'Host' : 'URL',
              <span key="url" className={classes.mono}>
                <Visible text={url ?? host} />
              </span>,
            ],
            ['State', statusWords(callback)],
            ['Last POST', lastDelivery === 0 ? 'never' : <When key="last" seconds={lastDelivery} />],
            ['Failures', failures === 0 ? 'none in a row' : `${failures} in a row, paused at 20`],
            ['Registered', <When key="created" seconds={created} />],
            ['Id', <Key key="id" value={id} hex what="callback id" />],
          ]}
        />
      </Section>
      <Section title="Last POSTs">
        <Log callback={callback} />
      </Section>
    </>
  );
}

function Log({ callback }: { callback: CallbackView }) {
  const log = useCall('callbacks.log', { id: callback.id });
  const again = useAct('callbacks.redeliver');
  if (log.data === undefined) {
    return log.error === null ? (
      <RowSkeletons rows={3} />
    ) : (
      <FailureNote error={log.error} onRetry={() => void log.refetch()} />
    );
  }
  if (log.data.length === 0) return <p className={classes.small}>Nothing was sent yet.</p>;
  return (
    <>
      <FailureNote error={again.error} />
      <ul className={classes.log}>
        {log.data.map(entry => (
          <LogRow
            key={`${entry.event_id} ${entry.attempt} ${entry.at}`}
            entry={entry}
            onAgain={
              callback.paused || again.isPending
                ? undefined
                : () => again.mutate({ id: callback.id, event: entry.event_id })
            }
          />
        ))}
      </ul>
    </>
  );
}

function LogRow({ entry, onAgain }: { entry: CallbackLogEntry; onAgain: (() => void) | undefined }) {
  return (
    <li className={classes.post}>
      <StateMark as="icon" state={entry.outcome === '' ? 'done' : 'failed'} />
      <span className={classes.postWhat}>
        <span>{outcomeWords(entry)}</span>
        <span className={classes.line}>
          <When seconds={entry.at} />, event <Key value={entry.event_id} hex what="event id" />
        </span>
      </span>
      <Button
        size="compact-xs"
        variant="subtle"
        disabled={onAgain === undefined}
        onClick={onAgain}
        aria-label={`Send event ${entry.event_id.slice(0, 8)} again`}
      >
        Send again
      </Button>
    </li>
  );
}
