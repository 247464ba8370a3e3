// The approval card (look.md): verb and target, who and where, why, the whole action, time left, buttons; after
// the answer, who gave it and what came of it.

import { IconAlertTriangle } from '@tabler/icons-react';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import type { ApprovalView } from '../../main/contract/approvals.ts';
import { address } from '../frame/router.ts';
import { FailureNote } from '../parts/failure.tsx';
import { useRooms } from '../parts/live.ts';
import { Person } from '../parts/person.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { Visible } from '../parts/verbatim.tsx';
import { When } from '../parts/when.tsx';
import { ActionView } from './action-view.tsx';
import classes from './approvals.module.css';
import { AskAgain } from './ask-again.tsx';
import { CardButtons } from './card-buttons.tsx';
import { type Decision, useDecision } from './decision.ts';
import { offerOf, stateAt, titleOf } from './inbox.ts';
import { ApplyToMatching } from './matching.tsx';
import { NativeForm } from './native-form.tsx';
import { useRememberable } from './remember.tsx';
import { Settlement } from './settlement.tsx';
import { TimeBar } from './time-bar.tsx';
import { useMoment } from './use-moment.ts';

export type ApprovalCardProps = {
  item: ApprovalView;
  /** How many others wait besides this one. */
  more?: number;
  held?: boolean;
  /** The title links to the request's own address. */
  linked?: boolean;
};

/** Id of a card's element, for whoever moves the focus. */
export function cardId(id: string): string {
  return `approval-${id}`;
}

export function ApprovalCard({ item, more = 0, held = false, linked = false }: ApprovalCardProps) {
  const title = useId();
  const [replying, setReplying] = useState(false);
  const card = useRef<HTMLElement>(null);
  const given = useDecision(item.id);
  // What was pressed goes away with the press: the card keeps the focus, so that its keys and J go on from here.
  const stay = () => card.current?.focus({ preventScroll: true });
  const decision: Decision = {
    ...given,
    press(answering) {
      stay();
      given.press(answering);
    },
  };
  const end = item.expires === undefined ? null : item.expires * 1000;
  const now = Math.floor(useMoment(at => (end !== null && at < end ? end : null)) / 1000);
  const offer = offerOf(item, now);
  const rememberable = useRememberable(item);
  const open = stateAt(item, now) === 'open';

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const plain = !event.repeat && !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
    if (!plain || held || isTyping(event.target)) return;
    const key = event.key.toLowerCase();
    if (key === 'a' && offer.approve) decision.press({ kind: 'approve' });
    else if (key === 'd' && offer.deny) decision.press({ kind: 'deny' });
    else if (key === 'r' && offer.reply) setReplying(true);
    else return;
    event.preventDefault();
  };

  return (
    <article
      ref={card}
      className={classes.card}
      id={cardId(item.id)}
      data-approval={item.id}
      data-open={open || undefined}
      data-state={stateAt(item, now)}
      aria-labelledby={title}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes the focus so that its keys mean this card
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div className={classes.inner}>
        <CardHead item={item} titleId={title} linked={linked} open={open} />
        <ActionView item={item} />
        {offer.withheld === null ? null : (
          <p className={classes.note}>
            <IconAlertTriangle size={16} />
            <span>{offer.withheld}</span>
          </p>
        )}
        <Trouble decision={decision} />
        {offer.form ? (
          <NativeForm
            item={item}
            busy={decision.pressed !== null || held}
            onAnswer={answer => decision.press({ kind: 'answer', ...answer })}
          />
        ) : null}
        {open ? (
          <div className={classes.foot}>
            <CardButtons
              offer={offer}
              rememberable={rememberable}
              decision={decision}
              held={held}
              replying={replying}
              onReplying={open => {
                setReplying(open);
                if (!open) stay();
              }}
            />
            {item.expires === undefined ? null : <TimeBar expires={item.expires} created={item.created_at} />}
            <ApplyToMatching item={item} now={now} />
            {more > 0 ? <MoreWait more={more} /> : null}
          </div>
        ) : null}
        <Settlement item={item} now={now} />
        <AskAgain item={item} now={now} />
      </div>
    </article>
  );
}

type CardHeadProps = { item: ApprovalView; titleId: string; linked: boolean; open: boolean };

function CardHead({ item, titleId, linked, open }: CardHeadProps) {
  const room = useRooms().find(other => other.id === item.room);
  const title = <Visible text={titleOf(item)} />;
  return (
    <header>
      <div className={classes.head}>
        <h2 className={classes.title} id={titleId}>
          {linked ? <a href={address('approvals', item.id)}>{title}</a> : title}
        </h2>
        {open ? <StateMark state="waiting" /> : null}
      </div>
      <div className={classes.meta}>
        <Person pubkey={item.asker} size={18} />
        {item.room === undefined ? null : (
          <span>
            in{' '}
            <a
              href={
                item.root === undefined ? address('rooms', item.room) : address('rooms', item.room, item.root)
              }
            >
              #{room?.name || item.room}
            </a>
          </span>
        )}
        <span>
          asked <When seconds={item.created_at} />
        </span>
      </div>
    </header>
  );
}

function Trouble({ decision }: { decision: Decision }) {
  if (decision.error === null || decision.pressed !== null) return null;
  return (
    <div style={{ marginTop: 12 }} data-conflict={decision.conflict || undefined}>
      <FailureNote error={decision.error} />
    </div>
  );
}

function MoreWait({ more }: { more: number }) {
  return (
    <a className={classes.meta} href={address('approvals')}>
      {more === 1 ? '1 more waits' : `${more} more wait`}
    </a>
  );
}

/** True while letters belong to what is being typed. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest('input, textarea, select') !== null)
  );
}
