// What a person is told to do, for the ways to sign in that real programs offer.

import { expect, test } from 'vitest';
import { authenticationHelp } from '../../../runner/acp/authentication.ts';

const spec = { command: 'agent', args: ['--acp'], cwd: '/', hiddenEnv: [], marks: {} };
const help = (method: object) =>
  authenticationHelp(spec, { protocolVersion: 1, authMethods: [method] } as never, 'Authentication required');

test('a command line to run is shown whole', () => {
  const terminal = { id: 'login', name: 'Subscription', type: 'terminal', args: ['--cli', 'login'] };
  expect(help(terminal)).toContain('Subscription: run `agent --acp --cli login` in a terminal');
  const own = {
    id: 'x',
    name: 'Log in',
    _meta: { 'terminal-auth': { command: '/bin/agent', args: ['login'] } },
  };
  expect(help(own)).toContain('Log in: run `/bin/agent login` in a terminal');
});

test('a way without a command is shown in its own words, and none at all by what the program said', () => {
  expect(help({ id: 'key', name: 'API key', description: 'set EXAMPLE_KEY' })).toContain(
    'API key (set EXAMPLE_KEY)',
  );
  expect(authenticationHelp(spec, null, '')).toContain('it said: authentication required');
});
