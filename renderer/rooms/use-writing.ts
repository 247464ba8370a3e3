// A message in the making: its text and draft, sending it, and putting back what was refused.

import { useCallback, useEffect, useRef, useState } from 'react';
import type { Party } from '../../main/contract/app.ts';
import type { NostrEvent } from '../../relay/protocol/event.ts';
import { call } from '../bridge.ts';
import { mentionedKeys } from '../parts/mention-spans.ts';
import { draftKey, keepDraft, putBack, readDraft } from './drafts.ts';
import { useTypingSign } from './use-typing-sign.ts';

export type WritingPlace = {
  room: string;
  root?: string;
  /** Who can be named here. */
  parties: readonly Party[];
  onSent: (event: NostrEvent) => void;
};

export type Writing = {
  text: string;
  write(next: string): void;
  /** Remembers that a name was picked from the list: of two alike, this one is meant. */
  picked(pubkey: string): void;
  send(): void;
  /** Why the last one was not taken; its text is back in the field. */
  error: unknown;
};

export function useWriting({ room, root, parties, onSent }: WritingPlace): Writing {
  const key = draftKey(room, root);
  const [text, setText] = useState(() => readDraft(window.localStorage, key));
  const [error, setError] = useState<unknown>(null);
  const chosen = useRef<string[]>([]);
  const sign = useTypingSign(room);
  const queue = useQueue();
  const here = useHere();

  useEffect(() => keepDraft(window.localStorage, key, text), [key, text]);

  const write = (next: string) => {
    setText(next);
    if (next.trim() !== '' && root === undefined) sign.start();
    if (error !== null) setError(null);
  };

  const refuse = (content: string, reason: unknown) => {
    if (here.current) {
      setText(now => putBack(content, now));
      setError(reason);
    } else {
      // The person went to another room meanwhile: it waits for them as a draft.
      keepDraft(window.localStorage, key, putBack(content, readDraft(window.localStorage, key)));
    }
  };

  const send = () => {
    const content = text.trim();
    if (content === '') return;
    const mentions = mentionedKeys(content, parties, chosen.current);
    const thread = root === undefined ? {} : { root };
    chosen.current = [];
    // Cleared at once so that the next one can be written.
    setText('');
    setError(null);
    sign.stop();
    queue(() =>
      call('rooms.send', { id: room, content, mentions, ...thread }).then(onSent, reason =>
        refuse(content, reason),
      ),
    );
  };

  return { text, write, picked: pubkey => chosen.current.push(pubkey), send, error };
}

/** Runs what is handed to it one after the other: messages arrive in the order they were written. */
function useQueue(): (task: () => Promise<void>) => void {
  const last = useRef<Promise<void>>(Promise.resolve());
  return useCallback(task => {
    last.current = last.current.then(task);
  }, []);
}

/** Whether the component is still on screen. */
function useHere(): { readonly current: boolean } {
  const here = useRef(true);
  useEffect(() => {
    here.current = true;
    return () => {
      here.current = false;
    };
  }, []);
  return here;
}
