// Where one writes: Enter sends, Shift+Enter breaks the line, `@` completes a name, the draft stays until it is sent.

import { ActionIcon, Menu, Textarea } from '@mantine/core';
import { IconPlus, IconSend, IconSubtask } from '@tabler/icons-react';
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { Party } from '../../main/contract/app.ts';
import type { NostrEvent } from '../../relay/protocol/event.ts';
import { useAct } from '../bridge.ts';
import { askAgent } from '../jobs/ask-agent.tsx';
import { FailureNote } from '../parts/failure.tsx';
import { mentionedKeys } from '../parts/mention-spans.ts';
import classes from './composer.module.css';
import { draftKey, keepDraft, readDraft } from './drafts.ts';
import { MentionList } from './mention-list.tsx';
import { complete, completions, mentionAt } from './mentions.ts';
import { useTypingSign } from './use-typing-sign.ts';

export type ComposerProps = {
  room: string;
  root?: string;
  /** Who can be named here. */
  parties: readonly Party[];
  placeholder: string;
  onSent: (event: NostrEvent) => void;
  /** Up in an empty composer. */
  onEditLast?: () => void;
  /** Said in place of the composer when one may not write here. */
  closed?: ReactNode;
};

export function Composer(props: ComposerProps) {
  if (props.closed) return <div className={classes.closed}>{props.closed}</div>;
  // A composer of its own for each place: what is being typed never moves to another room.
  return <Writing key={draftKey(props.room, props.root)} {...props} />;
}

function Writing({ room, root, parties, placeholder, onSent, onEditLast }: ComposerProps) {
  const key = draftKey(room, root);
  const [text, setText] = useState(() => readDraft(window.localStorage, key));
  const field = useRef<HTMLTextAreaElement>(null);
  const picked = useRef<string[]>([]);
  const caret = useRef<number>(undefined);
  const names = useNames(parties, field, text);
  const sign = useTypingSign(room);
  const send = useAct('rooms.send');
  const list = useId();

  useEffect(() => keepDraft(window.localStorage, key, text), [key, text]);

  // Before the next key can arrive: what is typed on must follow the name that was put in.
  useLayoutEffect(() => {
    if (caret.current === undefined) return;
    field.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  });

  const write = (next: string) => {
    setText(next);
    if (next.trim() !== '' && root === undefined) sign.start();
    if (send.isError) send.reset();
  };
  const submit = () => {
    const content = text.trim();
    if (content === '' || send.isPending) return;
    const mentions = mentionedKeys(content, parties, picked.current);
    // Cleared at once so that the next one can be written; what is refused comes back below.
    setText('');
    sign.stop();
    send.mutate(
      { id: room, content, mentions, ...(root === undefined ? {} : { root }) },
      {
        onSuccess: event => {
          picked.current = [];
          onSent(event);
        },
        onError: () => setText(now => (now === '' ? content : `${content}\n${now}`)),
      },
    );
  };
  const pick = (party: Party) => {
    if (!names.typing) return;
    const done = complete(text, names.typing, party.name);
    picked.current.push(party.pubkey);
    write(done.text);
    names.close();
    caret.current = done.caret;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (names.onKey(event, pick)) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      submit();
    } else if (event.key === 'ArrowUp' && text === '' && onEditLast) {
      event.preventDefault();
      onEditLast();
    }
  };

  return (
    <div className={classes.composer}>
      <FailureNote error={send.error} />
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
          onChange={event => write(event.currentTarget.value)}
          onSelect={names.look}
          onBlur={names.close}
          onKeyDown={onKeyDown}
        />
        <ActionIcon
          size={32}
          variant={text.trim() === '' ? 'subtle' : 'filled'}
          color={text.trim() === '' ? 'gray' : 'accent'}
          aria-label="Send"
          title="Send (Enter)"
          disabled={text.trim() === ''}
          onClick={submit}
        >
          <IconSend size={18} />
        </ActionIcon>
      </div>
    </div>
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

/** The list behind `@`: who fits, which one is meant, and the keys that move in it. */
function useNames(parties: readonly Party[], field: { current: HTMLTextAreaElement | null }, text: string) {
  const [caret, setCaret] = useState<number>();
  const [active, setActive] = useState(0);
  const typing = caret === undefined ? undefined : mentionAt(text, caret);
  const found = typing ? completions(parties, typing.query) : [];
  const open = found.length > 0;
  const close = () => setCaret(undefined);
  const look = () => {
    const element = field.current;
    if (!element || document.activeElement !== element) return;
    if (element.selectionStart !== caret) setActive(0);
    setCaret(element.selectionStart === element.selectionEnd ? element.selectionStart : undefined);
  };
  const onKey = (event: KeyboardEvent, pick: (party: Party) => void): boolean => {
    if (!open) return false;
    const move = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const chosen = found[active];
    if (move !== 0) setActive((active + move + found.length) % found.length);
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey && chosen) pick(chosen);
    else if (event.key === 'Escape') close();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return { typing, found, open, active, look, close, onKey };
}
