// A callback just made: its secret, this once, and how a receiver checks with it.

import { Button, SegmentedControl } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import type { CallResult } from '../../main/contract/features.ts';
import { address } from '../frame/router.ts';
import { PageColumn, Section } from '../parts/page.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { Verbatim } from '../parts/verbatim.tsx';
import classes from './callbacks.module.css';
import { VERIFIERS, type VerifierName } from './verifiers.ts';

export function SecretShown({ made }: { made: CallResult<'callbacks.add'> }) {
  const [shown, setShown] = useState<VerifierName>('node');
  return (
    <PageColumn
      title="Callback registered"
      actions={
        <Button component="a" size="xs" href={address('callbacks', made.id)}>
          I have kept the secret
        </Button>
      }
    >
      <Section title="Secret" actions={<Copy text={made.secret} what="secret" />}>
        <p className={classes.warning}>
          <StateMark state="warning" />
          <span>It is shown this once. Keep it where your receiver finds it.</span>
        </p>
        <Verbatim text={made.secret} />
      </Section>
      <Section
        title="Check that a POST came from this relay"
        actions={<Copy text={VERIFIERS[shown].text} what="code" />}
      >
        <SegmentedControl
          size="xs"
          mb="sm"
          aria-label="Language"
          data={Object.entries(VERIFIERS).map(([value, { label }]) => ({ value, label }))}
          value={shown}
          onChange={value => setShown(value as VerifierName)}
        />
        <Verbatim text={VERIFIERS[shown].text.trimEnd()} numbersFrom={100} />
        <p className={classes.small}>
          Answer with any 2xx status within 10 seconds. The same event may come again, so handle it once by
          its id.
        </p>
      </Section>
    </PageColumn>
  );
}

function Copy({ text, what }: { text: string; what: string }) {
  const clipboard = useClipboard({ timeout: 1500 });
  const Icon = clipboard.copied ? IconCheck : IconCopy;
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<Icon size={14} />}
      aria-label={`Copy the ${what}`}
      onClick={() => clipboard.copy(text)}
    >
      {clipboard.copied ? 'Copied' : 'Copy'}
    </Button>
  );
}
