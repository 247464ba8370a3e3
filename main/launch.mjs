// Starts a command on a Node that can run the program: the one already running when it strips types, else the one
// the lock file names. Plain JavaScript and no import beyond what is used, because every start pays for it.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs one program: `{ name, summary, commands }` picks a command by the first argument, `{ name, whole }` hands all
 * arguments on. A command answers its exit code, or nothing to leave it as it is.
 */
export async function launch(program) {
  const argv = process.argv.slice(2);
  const target = program.whole ?? pick(program, argv);
  if (!target) return;
  const file = sourceOrBuilt(target.file);
  if (file.endsWith('.ts') && !process.features.typescript) return onNewerNode(program.name);
  try {
    const module = await import(pathToFileURL(file).href);
    const code = await module[target.run](program.whole ? argv : argv.slice(1));
    if (typeof code === 'number') process.exitCode = code;
  } catch (error) {
    fail(`${program.name}: ${error instanceof Error ? error.message : String(error)}`);
    if (process.env.TINY_DEBUG) console.error(error);
  }
}

function pick(program, argv) {
  const [word] = argv;
  if (word === '--version' || word === '-V') {
    console.log(version());
    return undefined;
  }
  if (word === '--help' || word === '-h' || word === 'help' || word === undefined) {
    (word === undefined ? console.error : console.log)(help(program));
    if (word === undefined) process.exitCode = 1;
    return undefined;
  }
  if (Object.hasOwn(program.commands, word)) return program.commands[word];
  fail(`${program.name}: unknown command "${word}"; try ${program.name} --help`);
  return undefined;
}

function help({ name, summary, commands }) {
  const rows = Object.entries(commands).map(([word, { does }]) => `  ${name} ${word.padEnd(10)} ${does}`);
  return `${summary}\n\n${rows.join('\n')}\n\n${name} COMMAND --help says more about each. ${name} --version`;
}

function version() {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
}

// A package ships bundles under dist/ instead of sources: main/cli.ts becomes dist/main/cli.js.
function sourceOrBuilt(file) {
  const source = join(root, file);
  return existsSync(source) ? source : join(root, 'dist', file.replace(/\.ts$/, '.js'));
}

async function onNewerNode(name) {
  const node = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (!existsSync(node)) {
    fail(`${name}: needs Node 22.18 or newer, this is ${process.version}; run npm ci in ${root} to get one`);
    return;
  }
  const { spawn } = await import('node:child_process');
  const child = spawn(node, process.argv.slice(1), { stdio: inherited(), windowsHide: true });
  for (const signal of forwarded) {
    process.on(signal, () => {
      // A terminal already sent its interrupt to the child as well; a second one would mean "exit at once".
      if (signal === 'SIGINT' && process.stdin.isTTY) return;
      child.kill(signal);
    });
  }
  const [code, signal] = await new Promise(resolve => {
    child.once('error', error => {
      fail(`${name}: ${node} did not start: ${error.message}`);
      resolve([1, null]);
    });
    child.once('exit', (...end) => resolve(end));
  });
  if (signal) {
    for (const each of forwarded) process.removeAllListeners(each);
    process.kill(process.pid, signal);
  }
  process.exitCode = code ?? 1;
}

// `--key-fd N` names a descriptor of ours: it has to exist in the second process as well.
function inherited() {
  const stdio = ['inherit', 'inherit', 'inherit'];
  const at = process.argv.findIndex(word => word === '--key-fd' || word.startsWith('--key-fd='));
  const word = at < 0 ? undefined : (process.argv[at].split('=')[1] ?? process.argv[at + 1]);
  const descriptor = Number(word);
  if (!Number.isInteger(descriptor) || descriptor < 3 || descriptor > 255) return stdio;
  while (stdio.length < descriptor) stdio.push('ignore');
  stdio.push(descriptor);
  return stdio;
}

function fail(line) {
  console.error(line.split('\n')[0]);
  process.exitCode = 1;
}
