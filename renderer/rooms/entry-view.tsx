// One entry of the conversation with what answers it: replies, jobs and approvals beneath their root, one level deep.

import { UnstyledButton } from '@mantine/core';
import { memo } from 'react';
import { JobCard } from '../jobs/job-card.tsx';
import { ApprovalLine, isRequest } from './approval-line.tsx';
import type { Entry } from './conversation.ts';
import classes from './entry-view.module.css';
import { MessageRow } from './message-row.tsx';
import { useRoomHere } from './room-here.ts';

/** Replies shown beneath their root; more are in the thread. */
const SHOWN = 3;

export type EntryViewProps = {
  entry: Entry;
  joins: boolean;
  /** `room` folds long threads; `thread` shows every answer. */
  place: 'room' | 'thread';
};

export const EntryView = memo(function EntryView({ entry, joins, place }: EntryViewProps) {
  const answers =
    entry.answers.length > 0 ? (
      <Answers root={entry.id} answers={entry.answers} whole={place === 'thread'} />
    ) : null;
  if (entry.kind === 'job') {
    return (
      <div className={classes.job}>
        <JobCard job={entry.job} asksBeside={entry.answers.some(isAsking)} />
        {answers}
      </div>
    );
  }
  if (isRequest(entry.message.event)) {
    return (
      <div className={classes.job}>
        <ApprovalLine message={entry.message} />
        {answers}
      </div>
    );
  }
  return (
    <MessageRow message={entry.message} joins={joins} unanswered={entry.answers.length === 0}>
      {answers}
    </MessageRow>
  );
});

function isAsking(entry: Entry): boolean {
  return entry.kind === 'message' && isRequest(entry.message.event);
}

function isReply(entry: Entry): boolean {
  return entry.kind === 'message' && !isRequest(entry.message.event);
}

function Answers({ root, answers, whole }: { root: string; answers: readonly Entry[]; whole: boolean }) {
  const { onThread } = useRoomHere();
  const replies = answers.filter(isReply);
  const folded = whole ? 0 : Math.max(0, replies.length - SHOWN);
  const asks = answers.some(isAsking);
  const hidden = new Set(replies.slice(0, folded === 1 ? 0 : folded).map(entry => entry.id));
  return (
    <div className={classes.answers}>
      {hidden.size > 0 ? (
        <UnstyledButton className={classes.more} onClick={() => onThread(root)}>
          Show {hidden.size} earlier replies
        </UnstyledButton>
      ) : null}
      {answers
        .filter(entry => !hidden.has(entry.id))
        .map(entry => (
          <Answer key={entry.id} entry={entry} asks={asks} />
        ))}
      {whole || replies.length === 0 ? null : (
        <UnstyledButton className={classes.more} onClick={() => onThread(root)}>
          Reply
        </UnstyledButton>
      )}
    </div>
  );
}

function Answer({ entry, asks }: { entry: Entry; asks: boolean }) {
  if (entry.kind === 'job') return <JobCard job={entry.job} asksBeside={asks} />;
  if (isRequest(entry.message.event)) return <ApprovalLine message={entry.message} />;
  return <MessageRow message={entry.message} answer />;
}
