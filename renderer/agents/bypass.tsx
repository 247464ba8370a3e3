// The bypass of an agent: switched on with its meaning in words, and visible all the time while it lasts.

import { Button, Radio, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconShieldOff } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { AgentView } from '../../main/contract/agents.ts';
import { call } from '../bridge.ts';
import { address } from '../frame/router.ts';
import { FailureNote } from '../parts/failure.tsx';
import { useAgents } from '../parts/live.ts';
import { useNow } from '../parts/now.ts';
import { useNarrow } from '../parts/page.tsx';
import { exactTime } from '../parts/time-words.ts';
import { takeAgent } from './acts.tsx';
import classes from './bypass.module.css';
import { clock } from './permission-words.ts';

const TIMES = [
  { value: '15', label: '15 minutes' },
  { value: '60', label: '1 hour' },
  { value: '240', label: '4 hours' },
] as const;
const MODAL = 'bypass';

/** Agents that ask nothing now. */
export function useBypassed(): { agent: AgentView; until: number }[] {
  const now = useNow();
  return useAgents().flatMap(agent => {
    const until = agent.permissions?.bypass?.until ?? 0;
    return until > now ? [{ agent, until }] : [];
  });
}

function useBypass(pubkey: string, done: () => void) {
  return useMutation<AgentView, Error, number>({
    mutationFn: minutes => call('agents.bypass', { pubkey, minutes }),
    onSuccess: agent => {
      takeAgent(agent);
      done();
    },
  });
}

/** Says which agents ask nothing, until when, and ends it. Draws nothing while all of them ask. */
export function BypassNotice({ compact = false }: { compact?: boolean }) {
  const bypassed = useBypassed();
  const narrow = useNarrow();
  // Where it is narrow the strip above every page says it already.
  if (bypassed.length === 0 || (narrow && !compact)) return null;
  return (
    <div className={classes.notice} data-compact={compact || undefined} role="status" data-bypass>
      {bypassed.map(({ agent, until }) => (
        <div key={agent.pubkey} className={classes.line}>
          <IconShieldOff size={16} />
          <a href={address('agents', agent.pubkey)} title={exactTime(until)}>
            {agent.name} asks nothing until {clock(until)}
          </a>
          <EndBypass agent={agent} />
        </div>
      ))}
    </div>
  );
}

/** The same above every page where the sidebar is out of sight. */
export function BypassStrip() {
  return (
    <div className={classes.strip}>
      <BypassNotice compact />
    </div>
  );
}

/** The same for a narrow sidebar: a sign with its words in the title. */
export function BypassSign() {
  const bypassed = useBypassed();
  if (bypassed.length === 0) return null;
  const words = bypassed
    .map(({ agent, until }) => `${agent.name} asks nothing until ${clock(until)}`)
    .join('. ');
  return (
    <a className={classes.sign} href={address('agents')} title={words} aria-label={words} data-bypass>
      <IconShieldOff size={18} />
    </a>
  );
}

function EndBypass({ agent }: { agent: AgentView }) {
  const ending = useBypass(agent.pubkey, () => {});
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        disabled={ending.isPending}
        aria-label={`Ask again for ${agent.name}`}
        onClick={() => ending.mutate(0)}
      >
        Ask again
      </Button>
      <FailureNote error={ending.error} />
    </>
  );
}

/** Asks for how long, with what it means. */
export function offerBypass(agent: AgentView): void {
  modals.open({
    modalId: MODAL,
    title: `Let ${agent.name} work without asking?`,
    children: <BypassForm agent={agent} />,
  });
}

function BypassForm({ agent }: { agent: AgentView }) {
  const [minutes, setMinutes] = useState<string>(TIMES[0].value);
  const close = () => modals.close(MODAL);
  const starting = useBypass(agent.pubkey, close);
  return (
    <Stack gap="lg">
      <Text>
        For this time {agent.name} does everything you ask of it without asking you first: it changes and
        deletes files, runs commands and uses the network as its program sees fit, with the rights of your
        account. Each action still stands in Approvals afterwards. Work that others ask of it asks them as
        before.
      </Text>
      <Radio.Group value={minutes} onChange={setMinutes} label="For how long">
        <Stack gap="sm" mt="xs">
          {TIMES.map(time => (
            <Radio key={time.value} value={time.value} label={time.label} disabled={starting.isPending} />
          ))}
        </Stack>
      </Radio.Group>
      <Text c="dimmed">It ends by itself, when you press "Ask again", and when the program is quit.</Text>
      <FailureNote error={starting.error} />
      <div className={classes.buttons}>
        <Button variant="default" onClick={close} data-autofocus>
          Keep asking
        </Button>
        <Button color="red.9" disabled={starting.isPending} onClick={() => starting.mutate(Number(minutes))}>
          Stop asking
        </Button>
      </div>
    </Stack>
  );
}
