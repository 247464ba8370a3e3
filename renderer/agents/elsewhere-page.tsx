// An agent that runs elsewhere (seed "Add an agent"): a key made here and shown once, or a public key that is pasted.

import { Radio, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { GrantDraft } from '../../main/contract/agents.ts';
import type { CallResult } from '../../main/contract/features.ts';
import { call } from '../bridge.ts';
import { address, goInstead } from '../frame/router.ts';
import { useRooms } from '../parts/live.ts';
import { npubToHex } from '../parts/npub.ts';
import { newGrant } from './grant-form.ts';
import { GrantFormPage } from './grant-form-page.tsx';
import { SecretOnce } from './secret-once.tsx';
import { WhereItRuns } from './where-it-runs.tsx';

type Granted = CallResult<'agents.grant'>;
type KeyChoice = 'generate' | 'paste';

export function ElsewherePage() {
  const rooms = useRooms();
  const first = rooms.find(room => room.id === 'general') ?? rooms[0];
  const [choice, setChoice] = useState<KeyChoice>('generate');
  const [pasted, setPasted] = useState('');
  const [made, setMade] = useState<{ granted: Granted; draft: GrantDraft } | null>(null);
  const granting = useMutation<Granted, Error, GrantDraft>({
    mutationFn: grant => call('agents.grant', { grant, pubkey: choice === 'paste' ? pasted : null }),
    onSuccess: (granted, draft) => {
      if (granted.nsec === null) goInstead(address('agents', granted.pubkey));
      else setMade({ granted, draft });
    },
    // The secret is in this answer and nowhere else: it leaves memory with the page.
    gcTime: 0,
  });
  if (made !== null) {
    return <SecretOnce pubkey={made.granted.pubkey} nsec={made.granted.nsec ?? ''} draft={made.draft} />;
  }
  const readable = npubToHex(pasted) !== null;
  return (
    <GrantFormPage
      title="New agent"
      start={newGrant(first?.id)}
      judged={{ pubkey: choice === 'paste' && readable ? pasted : '' }}
      headProblems={
        choice === 'paste' && !readable ? { pubkey: 'Paste an npub, or a public key of 64 hex digits' } : {}
      }
      head={(problem, busy) => (
        <>
          <WhereItRuns at="elsewhere" />
          <Radio.Group
            label="Its key"
            value={choice}
            onChange={value => {
              granting.reset();
              setChoice(value as KeyChoice);
            }}
          >
            <Stack gap="sm" mt="xs">
              <Radio
                value="generate"
                label="Generate here, show once"
                description="Its secret key is shown after the grant is signed, and kept nowhere."
                disabled={busy}
              />
              <Radio
                value="paste"
                label="Paste a public key"
                description="For an agent that has a key already."
                disabled={busy}
              />
            </Stack>
          </Radio.Group>
          {choice === 'paste' ? (
            <TextInput
              label="Public key"
              placeholder="npub1…"
              value={pasted}
              disabled={busy}
              error={problem('pubkey')}
              onChange={event => {
                granting.reset();
                setPasted(event.currentTarget.value);
              }}
            />
          ) : null}
        </>
      )}
      button={{ rest: 'Sign the grant', busy: 'Signing the grant' }}
      sending={granting}
      onSend={draft => granting.mutate(draft)}
    />
  );
}
