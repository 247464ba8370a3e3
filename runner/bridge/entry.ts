// The keyless end of the bridge: an agent program starts it as its MCP server, and it hands every line to the runner that
// holds the key and back. Knows nothing but the path it is given; imports nothing, because any Node must run it.

import { connect } from 'node:net';

const path = process.argv[2];
if (path === undefined) {
  process.stderr.write('tiny bridge: the path of the runner is missing\n');
  process.exit(1);
}
const line = connect(path);
line.on('error', error => {
  process.stderr.write(`tiny bridge: the runner cannot be reached: ${error.message}\n`);
  process.exit(1);
});
line.on('close', () => process.exit(0));
process.stdin.on('error', () => line.end());
process.stdout.on('error', () => line.destroy());
process.stdin.pipe(line);
line.pipe(process.stdout);
