// `npm run bench`: prints figures as tables. Measures, never asserts. `npm run bench relay` runs one part.

import { cpus, totalmem } from 'node:os';

const parts = {
  relay: async print => (await import('./relay.ts')).benchRelay(print),
  callbacks: async print => (await import('./callbacks.ts')).benchCallbacks(print),
  desktop: async print => (await import('./desktop.ts')).benchDesktop(print),
};

const asked = process.argv.slice(2);
const unknown = asked.find(name => !(name in parts));
if (unknown) {
  console.error(`bench: no part named ${unknown}; there are ${Object.keys(parts).join(', ')}`);
  process.exit(1);
}
console.log(
  `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
);
for (const name of asked.length > 0 ? asked : Object.keys(parts)) {
  console.log(`\n## ${name}\n`);
  await parts[name](line => console.log(line));
}
process.exit(0);
