// A desktop of its own process, so that a test can kill it: calls come over IPC, answers and pushes go back.

import { startDesk } from './desk.ts';

type Call = { id: number; name: string; args: unknown };

const home = process.argv[2];
if (home === undefined) throw new Error('name the home');
const desk = await startDesk(home, (name, value) => process.send?.({ push: name, value }));
process.on('message', ({ id, name, args }: Call) => {
  desk.call(name as never, args as never).then(
    value => process.send?.({ id, value }),
    error => process.send?.({ id, error: String(error.message) }),
  );
});
process.send?.({ ready: true, owner: desk.owner });
