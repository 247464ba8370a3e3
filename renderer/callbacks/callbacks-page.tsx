// Callbacks (seed "Manage callbacks"): every one by whose it is, with its state and last delivery, and the one at the
// address in the panel.

import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { CallbackView } from '../../main/contract/callbacks.ts';
import { address, goInstead } from '../frame/router.ts';
import { Empty } from '../parts/empty.tsx';
import { FailureNote } from '../parts/failure.tsx';
import { useAppState } from '../parts/live.ts';
import { DetailPanel, PageColumn } from '../parts/page.tsx';
import { Person } from '../parts/person.tsx';
import { RowSkeletons } from '../parts/skeletons.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { Visible } from '../parts/verbatim.tsx';
import { When } from '../parts/when.tsx';
import { CallbackDetail } from './callback-detail.tsx';
import { CallbackRules } from './callback-rules.tsx';
import {
  byOwner,
  callbackState,
  countCallbacks,
  countWords,
  statusWords,
  waitWords,
} from './callback-words.ts';
import classes from './callbacks.module.css';
import { useCallbacks, useNames } from './use-callbacks.ts';

export function CallbacksPage({ id }: { id: string | undefined }) {
  const list = useCallbacks();
  const me = useAppState()?.owner?.pubkey ?? '';
  const items = list.data?.items ?? [];
  const chosen = items.find(callback => callback.id === id);
  const close = () => goInstead(address('callbacks'));
  return (
    <PageColumn
      title="Callbacks"
      lead={
        items.length > 0 ? <span className={classes.small}>{countWords(countCallbacks(items))}</span> : null
      }
      actions={
        <Button
          component="a"
          href={address('callbacks', 'new')}
          size="xs"
          leftSection={<IconPlus size={16} />}
        >
          New callback
        </Button>
      }
      panel={
        chosen === undefined ? null : (
          <DetailPanel
            title="Callback"
            lead={<StateMark state={callbackState(chosen)} reason={statusWords(chosen)} />}
            onClose={close}
          >
            <CallbackDetail key={chosen.id} callback={chosen} />
          </DetailPanel>
        )
      }
    >
      <FailureNote error={list.error} onRetry={() => void list.refetch()} />
      {list.isPending ? <RowSkeletons rows={4} /> : null}
      {list.isSuccess && items.length === 0 ? (
        <Empty
          sentence="No callbacks yet. A callback is a URL that is called with each new event you wait for, for programs that cannot stay connected."
          action={{ label: 'New callback', href: address('callbacks', 'new') }}
        />
      ) : null}
      {list.isSuccess && id !== undefined && chosen === undefined ? (
        <p className={classes.small}>The callback at this address is not there any more.</p>
      ) : null}
      {byOwner(items, me).map(([owner, callbacks]) => (
        <section key={owner} className={classes.group}>
          <h2 className={classes.owner}>
            <Person pubkey={owner} />
          </h2>
          <ul className={classes.rows}>
            {callbacks.map(callback => (
              <Row key={callback.id} callback={callback} here={callback.id === id} />
            ))}
          </ul>
        </section>
      ))}
      {list.data === undefined ? null : <CallbackRules list={list.data} />}
    </PageColumn>
  );
}

function Row({ callback, here }: { callback: CallbackView; here: boolean }) {
  const names = useNames();
  return (
    <li className={classes.row} data-here={here || undefined} data-callback={callback.id}>
      <span className={classes.state}>
        <StateMark state={callbackState(callback)} reason={statusWords(callback)} />
      </span>
      <a
        className={classes.what}
        href={address('callbacks', callback.id)}
        aria-current={here ? 'true' : undefined}
      >
        <span className={classes.title}>
          <Visible text={waitWords(callback.filter, names)} />
        </span>
        <span className={classes.line}>
          <span className={classes.mono}>{callback.host}</span>, {statusWords(callback)}
        </span>
      </a>
      <span className={classes.when}>
        {callback.lastDelivery === 0 ? 'never' : <When seconds={callback.lastDelivery} />}
      </span>
    </li>
  );
}
