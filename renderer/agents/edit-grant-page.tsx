// Editing a grant as its replacement (seed "Manage > Agents"): the form filled with the current one; nothing has to be
// revoked first.

import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { AgentView, GrantDraft, GrantView } from '../../main/contract/agents.ts';
import { call, useCall } from '../bridge.ts';
import { address, goInstead } from '../frame/router.ts';
import { Empty } from '../parts/empty.tsx';
import { FailureNote } from '../parts/failure.tsx';
import { PageColumn } from '../parts/page.tsx';
import { RowSkeletons } from '../parts/skeletons.tsx';
import { takeAgent } from './acts.tsx';
import { valuesOf } from './grant-form.ts';
import { GrantFormPage } from './grant-form-page.tsx';

export function EditGrantPage({ pubkey }: { pubkey: string }) {
  const one = useCall('agents.get', { pubkey });
  const grant = one.data?.grant;
  if (one.data !== undefined && grant) return <EditGrant agent={one.data} first={grant} />;
  return (
    <PageColumn title="Edit grant">
      {one.isPending ? <RowSkeletons rows={5} /> : null}
      <FailureNote error={one.error} onRetry={() => void one.refetch()} />
      {one.data !== undefined ? (
        <Empty
          sentence="It has no grant that could be replaced."
          action={{ label: 'Open the agent', href: address('agents', pubkey) }}
        />
      ) : null}
    </PageColumn>
  );
}

function EditGrant({ agent, first }: { agent: AgentView; first: GrantView }) {
  // What was read when the form was opened: a change meanwhile is told, never written over.
  const [grant] = useState(first);
  const [start] = useState(() => valuesOf(grant));
  const { pubkey } = agent;
  const saving = useMutation<AgentView, Error, GrantDraft>({
    mutationFn: draft => call('agents.editGrant', { pubkey, grant: draft, base: grant.event }),
    onSuccess: takeAgent,
  });
  return (
    <GrantFormPage
      title={`Edit the grant of ${agent.name}`}
      start={start}
      keep={grant.expires}
      judged={{ pubkey, base: grant.event }}
      button={{ rest: 'Sign the replacement', busy: 'Signing the replacement' }}
      sending={saving}
      // Only from here: whoever went elsewhere meanwhile stays there.
      onSend={draft => saving.mutate(draft, { onSuccess: () => goInstead(address('agents', pubkey)) })}
    />
  );
}
