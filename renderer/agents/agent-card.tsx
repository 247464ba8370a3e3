// One agent's card in the list: the facts of its grant and the buttons that change it.

import { Button } from '@mantine/core';
import type { AgentView } from '../../main/contract/agents.ts';
import { AgentCallbacks } from '../callbacks/agent-callbacks.tsx';
import { address } from '../frame/router.ts';
import { FailureNote } from '../parts/failure.tsx';
import { Picture } from '../parts/picture.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { confirmRevoke, useAgentActs } from './acts.tsx';
import { canPause, hasActiveGrant } from './agent-words.ts';
import classes from './agents.module.css';
import { GrantFacts } from './grant-facts.tsx';

export function AgentCard({ agent, onActivity }: { agent: AgentView; onActivity: () => void }) {
  const acts = useAgentActs(agent.pubkey);
  const busy = acts.pending !== null;
  return (
    <article className={classes.card} aria-label={agent.name} data-agent-card={agent.pubkey}>
      <header className={classes.cardHead}>
        <a className={classes.name} href={address('agents', agent.pubkey)}>
          <Picture pubkey={agent.pubkey} agent size={24} />
          {agent.name}
        </a>
        <StateMark state={agent.state} reason={agent.reason} />
      </header>
      <GrantFacts agent={agent} />
      <AgentCallbacks pubkey={agent.pubkey} />
      <FailureNote error={acts.error} />
      <div className={classes.buttons}>
        {canPause(agent) ? (
          <Button size="xs" variant="default" disabled={busy} onClick={() => acts.act('pause')}>
            Pause
          </Button>
        ) : null}
        {agent.grant?.paused === true && hasActiveGrant(agent) ? (
          <Button size="xs" variant="default" disabled={busy} onClick={() => acts.act('resume')}>
            Resume
          </Button>
        ) : null}
        {agent.grant === null ? null : (
          <Button size="xs" variant="default" component="a" href={address('agents', agent.pubkey, 'edit')}>
            {hasActiveGrant(agent) ? 'Edit' : 'Grant again'}
          </Button>
        )}
        {hasActiveGrant(agent) ? (
          <Button
            size="xs"
            variant="default"
            disabled={busy}
            onClick={() => confirmRevoke(agent, () => acts.act('revoke'))}
          >
            Revoke
          </Button>
        ) : null}
        <Button size="xs" variant="subtle" onClick={onActivity}>
          Recent activity
        </Button>
      </div>
    </article>
  );
}
