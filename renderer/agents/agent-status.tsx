// Under the name: how long the state has held, why, whether it is silent, what waits for the person, and what its
// program said last when it is in trouble.

import type { AgentView } from '../../main/contract/agents.ts';
import { inbox, titleOf } from '../approvals/inbox.ts';
import { itemsOf, useInboxPages } from '../approvals/live.ts';
import { address } from '../frame/router.ts';
import { useNow } from '../parts/now.ts';
import { StateMark } from '../parts/state-mark.tsx';
import { span } from '../parts/time-words.ts';
import { Verbatim, Visible } from '../parts/verbatim.tsx';
import { When } from '../parts/when.tsx';
import { silence } from './agent-words.ts';
import classes from './agents.module.css';
import { Lasting } from './lasting.tsx';

export function AgentStatus({ agent }: { agent: AgentView }) {
  const now = useNow();
  const silent = silence(agent, now);
  return (
    <>
      <div className={classes.status}>
        <span>
          in this state <Lasting since={agent.since} />
        </span>
        {silent === null ? null : <span className={classes.silent}>{silent}</span>}
        <LastReply agent={agent} />
      </div>
      <Trouble agent={agent} now={now} />
      <WaitsForYou agent={agent} />
    </>
  );
}

function LastReply({ agent: { lastReply } }: { agent: AgentView }) {
  if (lastReply === null) return null;
  return (
    <span>
      last reply <When ms={lastReply.at} />
      {lastReply.delivered
        ? ', delivered'
        : `, not delivered${lastReply.reason ? `: ${lastReply.reason}` : ''}`}
    </span>
  );
}

/** States a person must understand before the button helps. */
function Trouble({ agent, now }: { agent: AgentView; now: number }) {
  const { reason, retryAt, child } = agent;
  const why = reason ?? child?.reason;
  const output = child?.stderrTail?.trim() ?? '';
  const calm = agent.state === 'idle' || agent.state === 'running' || agent.state === 'waiting';
  if (calm || (why === undefined && retryAt === undefined && output === '')) return null;
  return (
    <div className={classes.reason} role="status">
      {why === undefined ? null : (
        <p>
          <Visible text={why} />
        </p>
      )}
      {retryAt === undefined ? null : (
        <p className={classes.small}>
          {retryAt > now ? `Starts again in ${span(retryAt - now)}.` : 'Starts again now.'}
        </p>
      )}
      {output === '' ? null : (
        <details open={agent.state === 'suspended' || undefined}>
          <summary className={classes.small}>The last its program wrote to its error output</summary>
          <Verbatim text={output} />
        </details>
      )}
    </div>
  );
}

function WaitsForYou({ agent }: { agent: AgentView }) {
  const open = useInboxPages('open');
  const { waiting } = inbox(itemsOf(open.data), Math.floor(Date.now() / 1000));
  const mine = waiting.filter(item => item.asker === agent.pubkey);
  if (mine.length === 0) return null;
  return (
    <div style={{ marginBottom: 24 }}>
      {mine.map(item => (
        <div key={item.id} className={classes.row}>
          <span className={classes.lead}>
            <StateMark state="waiting" />
          </span>
          <a className={classes.rowText} href={address('approvals', item.id)}>
            <Visible text={titleOf(item)} />
          </a>
          <span className={classes.small}>
            <When seconds={item.created_at} />
          </span>
        </div>
      ))}
    </div>
  );
}
