#!/usr/bin/env node
// `tiny`: the one command of the program. Plain JavaScript so that any Node from 18 on can start it.

import { launch } from './main/launch.mjs';

await launch({
  name: 'tiny',
  summary: 'A private Nostr relay, personal agents under grants you sign, and a dashboard where you decide.',
  commands: {
    desktop: {
      does: 'the app: relay, agents and dashboard',
      file: 'main/cli.ts',
      run: 'desktopCommand',
    },
    relay: { does: 'the relay alone', file: 'relay/cli.ts', run: 'relayCommand' },
    agent: { does: 'one runner for one agent', file: 'runner/cli.ts', run: 'agentCommand' },
  },
});
