// What one agent of this machine may do without asking: the permissions remembered, each with Revoke, and the bypass.

import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { AgentView } from '../../main/contract/agents.ts';
import type { PermissionRule } from '../../relay/protocol/permission-rule.ts';
import { call } from '../bridge.ts';
import { address } from '../frame/router.ts';
import { FailureNote } from '../parts/failure.tsx';
import { useNow } from '../parts/now.ts';
import { Section } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { takeAgent } from './acts.tsx';
import classes from './agents.module.css';
import { BypassNotice, offerBypass, useBypassed } from './bypass.tsx';
import { ruleWords } from './permission-words.ts';

export function AgentPermissions({ agent }: { agent: AgentView }) {
  const forgetting = useMutation<AgentView, Error, string>({
    mutationFn: rule => call('agents.forget', { pubkey: agent.pubkey, rule }),
    onSuccess: takeAgent,
  });
  const now = useNow();
  if (agent.permissions === null) return null;
  const { rules, bypass } = agent.permissions;
  const bypassed = bypass !== null && bypass.until > now;
  return (
    <Section
      title="Permissions"
      actions={
        bypassed ? null : (
          <Button variant="subtle" size="compact-xs" onClick={() => offerBypass(agent)}>
            Stop asking for a while…
          </Button>
        )
      }
    >
      {rules.length === 0 && !bypassed ? (
        <p className={classes.small} style={{ margin: 0 }}>
          It asks you before each action its program wants a permission for.
        </p>
      ) : null}
      {rules.map(rule => (
        <RuleRow
          key={rule.id}
          rule={rule}
          busy={forgetting.isPending}
          onRevoke={() => forgetting.mutate(rule.id)}
        />
      ))}
      <FailureNote error={forgetting.error} />
    </Section>
  );
}

type RuleRowProps = { rule: PermissionRule; busy: boolean; onRevoke: () => void };

function RuleRow({ rule, busy, onRevoke }: RuleRowProps) {
  return (
    <div className={classes.row} data-rule={rule.tool}>
      <span style={{ flex: '1 1 160px', minWidth: 0 }}>
        {ruleWords(rule)}
        <span className={classes.small} style={{ display: 'block' }}>
          given <When ms={rule.createdAt} />
          {rule.job === undefined ? null : (
            <>
              {', '}
              <a href={address('jobs', rule.job)}>for this job</a>
            </>
          )}
        </span>
      </span>
      <Button
        size="compact-xs"
        variant="default"
        disabled={busy}
        aria-label={`Revoke: ${ruleWords(rule)}`}
        onClick={onRevoke}
      >
        Revoke
      </Button>
    </div>
  );
}

/** On the agent's own page: that it asks nothing, and the way back. */
export function AgentBypass({ agent }: { agent: AgentView }) {
  const mine = useBypassed().some(other => other.agent.pubkey === agent.pubkey);
  return mine ? <BypassNotice /> : null;
}
