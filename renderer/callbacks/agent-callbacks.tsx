// The callbacks of one agent on its card (seed, "Manage callbacks"): host, what it waits for, state, last delivery and
// buttons. Nothing where there are none.

import type { CallbackView } from '../../main/contract/callbacks.ts';
import { address } from '../frame/router.ts';
import { FailureNote } from '../parts/failure.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { When } from '../parts/when.tsx';
import { CallbackButtons } from './callback-buttons.tsx';
import { callbackState, statusWords, waitWords } from './callback-words.ts';
import classes from './callbacks.module.css';
import { useCallbackActs, useCallbackList, useNames } from './use-callbacks.ts';

export function AgentCallbacks({ pubkey }: { pubkey: string }) {
  const mine = useCallbackList()?.items.filter(callback => callback.owner === pubkey) ?? [];
  if (mine.length === 0) return null;
  return (
    <div className={classes.ofAgent}>
      <h3 className={classes.ofAgentTitle}>Callbacks</h3>
      {mine.map(callback => (
        <One key={callback.id} callback={callback} />
      ))}
    </div>
  );
}

function One({ callback }: { callback: CallbackView }) {
  const acts = useCallbackActs(callback.id);
  const names = useNames();
  return (
    <div className={classes.one}>
      <StateMark state={callbackState(callback)} reason={statusWords(callback)} />
      <a className={classes.oneWhat} href={address('callbacks', callback.id)}>
        <span className={classes.mono}>{callback.host}</span>
        <span className={classes.line}>
          {waitWords(callback.filter, names)},{' '}
          {callback.lastDelivery === 0 ? 'nothing sent yet' : <When seconds={callback.lastDelivery} />}
        </span>
      </a>
      <span className={classes.oneButtons}>
        <CallbackButtons callback={callback} acts={acts} />
      </span>
      <FailureNote error={acts.error} />
    </div>
  );
}
