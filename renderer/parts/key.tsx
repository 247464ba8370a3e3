// A key: short, whole on hover, copied on a press.

import { UnstyledButton } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { npubEncode } from 'nostr-tools/nip19';
import classes from './key.module.css';

/** The npub of a hex key; the text itself when it is no key. */
export function npubOf(pubkey: string): string {
  return /^[0-9a-f]{64}$/.test(pubkey) ? npubEncode(pubkey) : pubkey;
}

/** Head and tail of a key or id, enough to tell two apart at a glance. */
export function shortKey(key: string): string {
  return key.length <= 20 ? key : `${key.slice(0, 10)}…${key.slice(-6)}`;
}

/** `value` is hex or npub; hex public keys are shown as npub unless `hex`. */
export function Key({ value, hex = false, what = 'key' }: { value: string; hex?: boolean; what?: string }) {
  const whole = hex ? value : npubOf(value);
  const short = shortKey(whole);
  const clipboard = useClipboard({ timeout: 1500 });
  return (
    <UnstyledButton
      className={classes.key}
      title={whole}
      // What is seen is part of what is heard, so that a voice can name it.
      aria-label={clipboard.copied ? `${short} copied` : `Copy ${what} ${short}`}
      onClick={() => clipboard.copy(whole)}
    >
      <span>{short}</span>
      {clipboard.copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
      <span role="status" className={classes.copied}>
        {clipboard.copied ? 'copied' : ''}
      </span>
    </UnstyledButton>
  );
}
