// `tiny relay`: one relay in the foreground, until it is told to stop.

import { readFileSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { decode } from 'nostr-tools/nip19';
import { pino } from 'pino';
import type { RelayOptions } from './context.ts';
import { keepMemorySmall } from './memory.ts';
import { isHex64 } from './protocol/tags.ts';
import { startRelay } from './relay.ts';

const DEFAULT_PORT = 7447;

type Flags = Omit<RelayOptions, 'log' | 'origins'> & { origin: string[]; json: boolean; verbose: boolean };

/** Runs until SIGINT or SIGTERM; answers the exit code. `argv` is what follows `tiny relay`. */
export async function relayCommand(argv: string[]): Promise<number> {
  const flags = parse(argv);
  return typeof flags === 'number' ? flags : serve(flags);
}

function parse(argv: string[]): Flags | number {
  const command = new Command('tiny relay')
    .description('A private Nostr relay. Members only and bound to this machine, unless told otherwise.')
    .requiredOption('--data <DIR>', 'folder of the database')
    .addOption(new Option('--port <N>', '0 picks one').default(DEFAULT_PORT).argParser(port))
    .option('--host <H>', 'address to bind; another than this machine opens it to your network', '127.0.0.1')
    .addOption(new Option('--owner <KEY>', 'public key of the owner, hex or npub').argParser(publicKey))
    .option('--name <NAME>', 'what the relay calls itself')
    .addOption(new Option('--url <PUBLIC>', 'public address, with a proxy in front').argParser(webAddress))
    .addOption(new Option('--reads <WHO>', 'who may read').choices(['open', 'auth', 'members']))
    .addOption(new Option('--writes <WHO>', 'who may write').choices(['open', 'allowlist', 'wot', 'owner']))
    .option('--origin <ORIGIN...>', 'web pages from elsewhere that may connect; * for all', [])
    .option('--json', 'say the ready line as JSON', false)
    .option('--verbose', 'log every step on stderr', false)
    .version(version())
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeErr: text => process.stderr.write(`${text.trim().split('\n')[0]}\n`) });
  try {
    command.parse(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    throw error;
  }
  return command.opts<Flags>();
}

async function serve({ json, verbose, origin, ...options }: Flags): Promise<number> {
  const log = pino({ level: verbose ? 'debug' : 'warn' }, pino.destination({ dest: 2, sync: true }));
  const damaged = Promise.withResolvers<number>();
  // Before the ready line: whoever reads it may stop us at once, and a stop during the start is heard too.
  const asked = stopAsked();
  keepMemorySmall();
  try {
    const relay = await startRelay({ ...options, origins: origin, log, onDamage: () => damaged.resolve(1) });
    if (!isLoopback(options.host)) {
      process.stderr.write(
        `warning: bound to ${options.host}: everyone on your network can reach this relay\n`,
      );
    }
    const ready = { ready: true, url: relay.url, self: relay.self, owner: relay.owner || null };
    process.stdout.write(json ? `${JSON.stringify(ready)}\n` : `Relay ready at ${relay.url}\n`);
    const code = await Promise.race([asked, damaged.promise]);
    await relay.close();
    return code;
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
function stopAsked(): Promise<number> {
  return new Promise(resolve => {
    let asked = false;
    const stop = () => {
      if (asked) process.exit(1);
      asked = true;
      resolve(0);
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}

function port(text: string): number {
  const value = Number(text);
  if (/^\d{1,5}$/.test(text) && value <= 65_535) return value;
  throw new InvalidArgumentError('It takes a port from 0 to 65535.');
}

function publicKey(text: string): string {
  const key = text.startsWith('npub1') ? fromNpub(text) : text;
  if (isHex64(key)) return key;
  throw new InvalidArgumentError('It takes a public key: 64 hex digits or an npub.');
}

function fromNpub(text: string): string {
  try {
    return decode(text as `npub1${string}`).data;
  } catch {
    // A wrong checksum is an ordinary typing mistake: no key.
    return '';
  }
}

function webAddress(text: string): string {
  if (URL.canParse(text) && /^(wss?|https?):$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError('It takes a ws, wss, http or https address.');
}

function isLoopback(host: string | undefined): boolean {
  return host === undefined || host === 'localhost' || host === '::1' || host.startsWith('127.');
}

function version(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return String(version);
}
