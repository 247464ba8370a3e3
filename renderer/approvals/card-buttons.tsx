// The buttons under a request and the reply that opens from them.

import { Button, Group, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { MAX_ANSWER } from '../../relay/protocol/interaction.ts';
import { toolWords } from '../../relay/protocol/permission-rule.ts';
import { characters } from '../../relay/protocol/tags.ts';
import { roomLeft, thousands } from './answer-form.ts';
import classes from './approvals.module.css';
import type { Decision } from './decision.ts';
import type { CardOffer } from './inbox.ts';
import { confirmAlways, type Rememberable } from './remember.tsx';

export type CardButtonsProps = {
  offer: CardOffer;
  /** What else a yes may cover. */
  rememberable: Rememberable | null;
  decision: Decision;
  /** Presses are not taken for a moment after the card moved. */
  held: boolean;
  replying: boolean;
  onReplying: (open: boolean) => void;
};

export function CardButtons({ offer, rememberable, decision, held, replying, onReplying }: CardButtonsProps) {
  const { pressed, press } = decision;
  const off = held || pressed !== null;
  if (replying && offer.reply) {
    return (
      <ReplyForm
        busy={pressed !== null}
        onSend={content => press({ kind: 'reply', content })}
        onClose={() => onReplying(false)}
      />
    );
  }
  if (!offer.approve && !offer.deny && !offer.reply) return null;
  return (
    <div className={classes.buttons}>
      {offer.approve ? (
        <Button disabled={off} onClick={() => press({ kind: 'approve' })} data-action="approve">
          {pressed === 'approve' ? 'Approving' : offer.sign ? 'Approve and sign' : 'Approve once'}
          <KeyHint label="A" />
        </Button>
      ) : null}
      {offer.approve && rememberable !== null ? (
        <Remembering rememberable={rememberable} off={off} press={press} />
      ) : null}
      {offer.deny ? (
        <Button variant="default" disabled={off} onClick={() => press({ kind: 'deny' })} data-action="deny">
          {pressed === 'deny' ? 'Denying' : 'Deny'}
          <KeyHint label="D" />
        </Button>
      ) : null}
      {offer.reply ? (
        <Button
          variant={offer.approve || offer.deny ? 'subtle' : 'filled'}
          disabled={off}
          onClick={() => onReplying(true)}
          data-action="reply"
        >
          Reply
          <KeyHint label="R" />
        </Button>
      ) : null}
    </div>
  );
}

type RememberingProps = { rememberable: Rememberable; off: boolean; press: Decision['press'] };

function Remembering({ rememberable, off, press }: RememberingProps) {
  const may = toolWords(rememberable.tool);
  return (
    <>
      {rememberable.job ? (
        <Button
          variant="default"
          disabled={off}
          title={`Until this job ends it may ${may} without asking you`}
          onClick={() => press({ kind: 'approve', remember: 'job' })}
          data-action="approve-job"
        >
          Approve for this job
        </Button>
      ) : null}
      <Button
        variant="default"
        disabled={off}
        onClick={() => confirmAlways(rememberable, () => press({ kind: 'approve', remember: 'always' }))}
        data-action="approve-always"
      >
        Always…
      </Button>
    </>
  );
}

function KeyHint({ label }: { label: string }) {
  return (
    <span className={classes.key} aria-hidden="true">
      {label}
    </span>
  );
}

type ReplyFormProps = { busy: boolean; onSend: (content: string) => void; onClose: () => void };

function ReplyForm({ busy, onSend, onClose }: ReplyFormProps) {
  const [text, setText] = useState('');
  const used = characters(text.trim());
  const tooLong = used > MAX_ANSWER;
  const send = () => {
    if (!busy && used > 0 && !tooLong) onSend(text.trim());
  };
  return (
    <Stack gap="sm" flex="1 1 100%" miw={0}>
      <Textarea
        label="Reply"
        data-autofocus
        // The press that opened it was meant for it.
        ref={node => node?.focus()}
        value={text}
        onChange={event => setText(event.currentTarget.value)}
        disabled={busy}
        autosize
        minRows={2}
        maxRows={12}
        description={roomLeft(used)}
        error={tooLong ? `At most ${thousands(MAX_ANSWER)} characters` : null}
        onKeyDown={event => {
          if (event.key === 'Escape') onClose();
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
        }}
      />
      <Group gap="sm">
        <Button disabled={busy || used === 0 || tooLong} onClick={send}>
          {busy ? 'Sending' : 'Send reply'}
        </Button>
        <Button variant="subtle" disabled={busy} onClick={onClose}>
          Back
        </Button>
      </Group>
    </Stack>
  );
}
