// Where one writes: Enter sends, Shift+Enter breaks the line, `@` completes a name, the draft stays until it is sent.

import { ActionIcon, Menu, Textarea } from '@mantine/core';
import { IconPlus, IconSend, IconSubtask } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import type { Party } from '../../main/contract/app.ts';
import { askAgent } from '../jobs/ask-agent.tsx';
import { FailureNote } from '../parts/failure.tsx';
import classes from './composer.module.css';
import { draftKey } from './drafts.ts';
import { MentionList } from './mention-list.tsx';
import { complete } from './mentions.ts';
import { useNames } from './use-names.ts';
import { useWriting, type WritingPlace } from './use-writing.ts';

export type ComposerProps = WritingPlace & {
  placeholder: string;
  /** Up in an empty composer. */
  onEditLast?: () => void;
  /** Said in place of the composer when one may not write here. */
  closed?: ReactNode;
};

export function Composer(props: ComposerProps) {
  if (props.closed) return <div className={classes.closed}>{props.closed}</div>;
  // A composer of its own for each place: what is being typed never moves to another room.
  return <Field key={draftKey(props.room, props.root)} {...props} />;
}

function Field({ placeholder, onEditLast, ...place }: ComposerProps) {
  const { room, root, parties } = place;
  const field = useRef<HTMLTextAreaElement>(null);
  const caret = useRef<number>(undefined);
  const writing = useWriting(place);
  const { text } = writing;
  const names = useNames(parties, field, text);
  const list = useId();

  // Before the next key can arrive: what is typed on must follow the name that was put in.
  useLayoutEffect(() => {
    if (caret.current === undefined) return;
    field.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  });

  const pick = (party: Party) => {
    if (!names.typing) return;
    const done = complete(text, names.typing, party.name);
    caret.current = done.caret;
    writing.picked(party.pubkey);
    writing.write(done.text);
    names.close();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (names.onKey(event, pick)) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      writing.send();
    } else if (event.key === 'ArrowUp' && text === '' && onEditLast) {
      event.preventDefault();
      onEditLast();
    }
  };

  return (
    <div className={classes.composer}>
      <FailureNote error={writing.error} />
      {names.open ? (
        <MentionList id={list} parties={names.found} active={names.active} onPick={pick} />
      ) : null}
      <div className={classes.box}>
        <AddMenu room={room} root={root} />
        <Textarea
          ref={field}
          className={classes.field}
          variant="unstyled"
          autosize
          minRows={1}
          maxRows={10}
          maxLength={64_000}
          aria-label={placeholder}
          placeholder={placeholder}
          value={text}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={names.open ? list : undefined}
          aria-activedescendant={names.open ? `${list}-${names.active}` : undefined}
          onChange={event => writing.write(event.currentTarget.value)}
          onSelect={names.look}
          onBlur={names.close}
          onKeyDown={onKeyDown}
        />
        <SendButton ready={text.trim() !== ''} onSend={writing.send} />
      </div>
    </div>
  );
}

function SendButton({ ready, onSend }: { ready: boolean; onSend: () => void }) {
  return (
    <ActionIcon
      size={32}
      variant={ready ? 'filled' : 'subtle'}
      color={ready ? 'accent' : 'gray'}
      aria-label="Send"
      title="Send (Enter)"
      disabled={!ready}
      onClick={onSend}
    >
      <IconSend size={18} />
    </ActionIcon>
  );
}

function AddMenu({ room, root }: { room: string; root: string | undefined }) {
  return (
    <Menu position="top-start">
      <Menu.Target>
        <ActionIcon size={32} aria-label="Add" title="Add">
          <IconPlus size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconSubtask size={16} />}
          onClick={() => askAgent(root === undefined ? { room } : { room, root })}
        >
          Ask an agent
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
