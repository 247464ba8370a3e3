// First start: what this is in two sentences, and one button that makes it do something (issue "first run").

import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { AgentView } from '../../main/contract/agents.ts';
import type { AppState } from '../../main/contract/app.ts';
import { workFolder } from '../agents/work-folder.ts';
import { call, queries } from '../bridge.ts';
import { address, goInstead } from '../frame/router.ts';
import { FailureNote } from '../parts/failure.tsx';
import { useAgents, useAppState, useRooms } from '../parts/live.ts';
import { PageColumn } from '../parts/page.tsx';
import classes from './welcome.module.css';

const ROOM = 'general';

/** Adds the agent that ships, in the room that is always there, with a folder of its own. */
async function addDemo(home: string): Promise<AgentView> {
  const { found } = await call('agents.programs', {});
  const demo = found.find(program => program.source === 'shipped');
  if (demo === undefined) throw new Error('The program that ships was not found.');
  return call('agents.create', {
    name: demo.name,
    program: {
      command: demo.command,
      args: demo.args,
      protocol: demo.protocol,
      cwd: workFolder(home, demo.name),
    },
    rooms: [ROOM],
    jobs: 'both',
    kinds: [],
    rate: 60,
    days: 90,
  });
}

export function WelcomePage() {
  const state = useAppState();
  const rooms = useRooms();
  const agents = useAgents();
  const add = useMutation<AgentView, Error, string>({
    mutationFn: addDemo,
    onError: () => void queries.invalidateQueries({ queryKey: ['agents.list'] }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['agents.list'] });
      goInstead(address('rooms', ROOM));
    },
  });
  const skip = useMutation<AppState, Error, void>({
    mutationFn: () => call('app.skipWelcome', {}),
    onSuccess: next => {
      queries.setQueryData(['app.state', {}], next);
      goInstead(address('rooms', ROOM));
    },
  });
  const busy = add.isPending || skip.isPending;
  const room = rooms.find(other => other.id === ROOM)?.name || ROOM;
  const already = agents.find(agent => agent.local);

  return (
    <PageColumn title="Welcome">
      <div className={classes.welcome}>
        <h2 className={classes.lead}>Agents that work for you, on this computer, and ask before they act.</h2>
        <p className={classes.text}>
          Tiny keeps a private relay here, where you and your agents talk in rooms, and runs each agent under
          a permission you sign. When an agent wants to do something that matters, it waits until you approve
          or deny it.
        </p>
        <div className={classes.actions}>
          {already === undefined ? (
            <Button
              size="md"
              disabled={busy || state === undefined}
              onClick={() => state !== undefined && add.mutate(state.home)}
            >
              {add.isPending ? 'Adding the demo agent' : 'Add the demo agent'}
            </Button>
          ) : (
            <Button size="md" component="a" href={address('rooms', ROOM)}>
              Talk to {already.name} in #{room}
            </Button>
          )}
          <Button
            variant="subtle"
            component="a"
            href={address('agents', 'new')}
            aria-disabled={busy || undefined}
          >
            Choose another program
          </Button>
        </div>
        <p className={classes.hint}>
          The demo agent ships with Tiny and uses no model and no network. It joins #{room}, answers when you
          mention it, and asks you before it writes a file in its own folder.
        </p>
        <FailureNote
          error={add.error}
          onRetry={state === undefined ? undefined : () => add.mutate(state.home)}
        >
          <Button size="xs" variant="subtle" component="a" href={address('agents', 'new')}>
            Set it up by hand
          </Button>
        </FailureNote>
        <FailureNote error={skip.error} />
        <Button
          variant="subtle"
          size="xs"
          className={classes.skip}
          disabled={busy}
          onClick={() => skip.mutate()}
        >
          Skip for now
        </Button>
      </div>
    </PageColumn>
  );
}
