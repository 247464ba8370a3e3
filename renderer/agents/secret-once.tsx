// The secret key of an agent that runs elsewhere, once: copied into its configuration now or never.

import { Button, Group } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import type { GrantDraft } from '../../main/contract/agents.ts';
import { address } from '../frame/router.ts';
import { Key } from '../parts/key.tsx';
import { useAppState } from '../parts/live.ts';
import { Facts, PageColumn, Section } from '../parts/page.tsx';
import classes from './new-agent.module.css';

export type SecretOnceProps = { pubkey: string; nsec: string; draft: GrantDraft };

export function SecretOnce({ pubkey, nsec, draft }: SecretOnceProps) {
  const relay = useAppState()?.relay.url ?? '';
  const clipboard = useClipboard({ timeout: 2000 });
  const [copied, setCopied] = useState(false);
  const copy = () => {
    clipboard.copy(nsec);
    setCopied(true);
  };
  return (
    <PageColumn title={`${draft.name} is granted`}>
      <Section title="Its secret key, shown once">
        <p className={classes.small} style={{ margin: '0 0 12px' }}>
          Copy it into the agent's configuration now. It is kept nowhere here and cannot be shown again;
          whoever has it is this agent.
        </p>
        <code className={classes.secret} data-secret>
          {nsec}
        </code>
        <Group gap="sm" mt="md">
          <Button
            onClick={copy}
            leftSection={clipboard.copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          >
            {clipboard.copied ? 'Copied' : 'Copy the secret key'}
          </Button>
          <Button component="a" href={address('agents', pubkey)} variant={copied ? 'default' : 'subtle'}>
            I have it: open the agent
          </Button>
        </Group>
      </Section>
      <Section title="What else it needs">
        <Facts
          rows={[
            [
              'Relay',
              <span key="relay" className={classes.mono}>
                {relay}
              </span>,
            ],
            ['Rooms', draft.rooms.length === 0 ? 'none' : draft.rooms.join(', ')],
            ['Public key', <Key key="key" value={pubkey} />],
          ]}
        />
      </Section>
    </PageColumn>
  );
}
