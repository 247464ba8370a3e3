// A whole relay that is killed the moment it has committed an event, before it can send it anywhere:
// node relay-that-dies.ts DATA OWNER

import { startRelay } from '../../../relay/relay.ts';

const [data = '', owner = ''] = process.argv.slice(2);
const relay = await startRelay({ data, owner });
relay.context.live.subscribe(() => process.kill(process.pid, 'SIGKILL'));
process.send?.(relay.url);
process.on('disconnect', () => process.exit(0));
