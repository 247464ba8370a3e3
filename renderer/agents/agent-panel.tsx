// Facts of one agent: its grant in words and in full, its program and processes.

import type { AgentView } from '../../main/contract/agents.ts';
import { DetailPanel, Facts, Section } from '../parts/page.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { Visible } from '../parts/verbatim.tsx';
import { AgentLimits } from './agent-limits.tsx';
import { AgentPermissions } from './agent-permissions.tsx';
import classes from './agents.module.css';
import { GrantFacts } from './grant-facts.tsx';
import { Lasting } from './lasting.tsx';
import { shellLine } from './shell-words.ts';

export function AgentPanel({ agent, onClose }: { agent: AgentView; onClose: () => void }) {
  return (
    <DetailPanel title="Facts" onClose={onClose}>
      <Section title="What it may do">
        {agent.grant === null ? (
          <p className={classes.small}>It has no grant, so the relay takes nothing from it.</p>
        ) : (
          <ul className={classes.words}>
            {agent.grant.words.map(sentence => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        )}
      </Section>
      <Section title="Grant">
        <GrantFacts agent={agent} />
      </Section>
      <AgentPermissions agent={agent} />
      <AgentLimits agent={agent} />
      {agent.program === null ? null : (
        <Section title="Program">
          <ProgramFacts agent={agent} />
        </Section>
      )}
      {agent.local ? (
        <Section title="Processes">
          <Processes agent={agent} />
        </Section>
      ) : (
        <p className={classes.small}>It runs on another machine; this desktop does not start or stop it.</p>
      )}
    </DetailPanel>
  );
}

function ProgramFacts({ agent: { program } }: { agent: AgentView }) {
  if (program === null) return null;
  return (
    <Facts
      rows={[
        [
          'Command',
          <span key="command" className={classes.mono}>
            <Visible text={program.command} />
          </span>,
        ],
        [
          'Arguments',
          program.args.length === 0 ? (
            'none'
          ) : (
            <span key="args" className={classes.mono}>
              <Visible text={shellLine(program.args)} />
            </span>
          ),
        ],
        [
          'Folder',
          <span key="cwd" className={classes.mono}>
            <Visible text={program.cwd} />
          </span>,
        ],
        ['Protocol', program.protocol === 'acp' ? 'ACP' : 'plain command'],
      ]}
    />
  );
}

function Processes({ agent }: { agent: AgentView }) {
  const { process, child } = agent;
  return (
    <Facts
      rows={[
        [
          'Runner',
          process === null ? (
            'not started'
          ) : (
            <span key="runner">
              <StateMark as="plain" state={process.state} reason={process.reason} />
              {process.pid === undefined ? null : <span className={classes.mono}> pid {process.pid}</span>}
              <span className={classes.small}>
                {' '}
                <Lasting since={process.since} />
              </span>
            </span>
          ),
        ],
        [
          'Program',
          child === null ? (
            'not started'
          ) : (
            <span key="child">
              {child.state}
              {child.pid === undefined ? null : <span className={classes.mono}> pid {child.pid}</span>}
              {child.reason === undefined ? null : <span className={classes.detail}>{child.reason}</span>}
            </span>
          ),
        ],
      ]}
    />
  );
}
