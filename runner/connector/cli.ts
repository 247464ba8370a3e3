// `tinyagent`: keygen, rpc, call, diagnose and mcp (spec/tinyagent-connector.md A1). The key comes from an environment
// variable, never from the command line.

import { Command, CommanderError } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { generateSecret, parseSecret, type Signer, signerFrom } from '../../relay/client/signer.ts';
import { diagnose, EXIT } from './diagnose.ts';
import { type McpFlags, mcp, offeredBy } from './mcp-command.ts';
import { RelayHttp, relayBase } from './relay-http.ts';
import { perform, serveRpc } from './rpc.ts';

type Flags = { relay: string; keyEnv: string };

/** Runs one command; answers the exit code. */
export async function connectorCommand(argv: string[]): Promise<number> {
  let code = 0;
  const program = commands(async run => {
    code = await run();
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    return fail(error instanceof Error ? error.message : String(error));
  }
}

function commands(run: (action: () => Promise<number>) => Promise<void>): Command {
  const program = new Command('tinyagent')
    .description('The connector for agent programs: keys, calls and checks against a relay.')
    .version(packageJson.version)
    .exitOverride()
    .configureOutput({ writeErr: text => process.stderr.write(`tinyagent: ${firstLine(text)}\n`) });
  program
    .command('keygen')
    .description('make a key and print it as one JSON line')
    .action(() => run(keygen));
  withRelay(program.command('rpc').description('serve calls as JSON lines on stdin and stdout')).action(
    (flags: Flags) => run(() => rpc(flags)),
  );
  withRelay(program.command('call').description('perform one call and print its result'))
    .argument('<METHOD>')
    .argument('[JSON_PARAMS]')
    .action((method: string, params: string | undefined, flags: Flags) =>
      run(() => call(flags, method, params)),
    );
  withRelay(program.command('diagnose').description('check relay, key, membership and grant'))
    .option('--rooms <LIST>', 'rooms that are needed, with commas between them')
    .option('--kinds <LIST>', 'kinds that are needed, with commas between them')
    .action((flags: Flags & { rooms?: string; kinds?: string }) => run(() => check(flags)));
  withRelay(program.command('mcp').description("serve the relay's tools to an MCP host on stdin and stdout"))
    .option('--tools <LIST>', 'offer these tools only, with commas between them')
    .option('--allow-writes', 'offer tools that publish, and sign for them')
    .action((flags: Flags & McpFlags) => run(() => serveHost(flags)));
  return program;
}

function withRelay(command: Command): Command {
  return command
    .exitOverride()
    .allowExcessArguments(false)
    .requiredOption('--relay <URL>', 'the relay: http, https, ws or wss')
    .option('--key-env <NAME>', 'variable that holds the secret key in hex', 'TINY_PRIVATE_KEY');
}

async function keygen(): Promise<number> {
  const secret = generateSecret();
  const line = { secret: Buffer.from(secret).toString('hex'), pubkey: signerFrom(secret).pubkey };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  return 0;
}

async function rpc(flags: Flags): Promise<number> {
  await serveRpc(contextOf(flags), process.stdin, process.stdout);
  return 0;
}

async function call(flags: Flags, method: string, params: string | undefined): Promise<number> {
  const context = contextOf(flags);
  if (method === 'subscribe' || method === 'unsubscribe') throw new Error(`call cannot ${method}; use rpc`);
  const result = await perform(context, method, params === undefined ? {} : parseParams(params));
  process.stdout.write(`${JSON.stringify(result)}\n`);
  return 0;
}

async function check(flags: Flags & { rooms?: string; kinds?: string }): Promise<number> {
  const { http, relay, signer } = contextOf(flags);
  const needs = { rooms: list(flags.rooms), kinds: list(flags.kinds).map(kind) };
  const report = await diagnose(http, relay, signer.pubkey, needs);
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  const code = EXIT[report.verdict];
  if (code !== 0) process.stderr.write(`${report.verdict}: ${report.advice}\n`);
  return code;
}

async function serveHost(flags: Flags & McpFlags): Promise<number> {
  const offered = offeredBy(flags);
  await mcp(contextOf(flags), offered);
  return 0;
}

function contextOf(flags: Flags): { relay: string; ws: string; signer: Signer; http: RelayHttp } {
  const base = relayBase(flags.relay);
  if (base === null) {
    throw new Error(
      `--relay takes an http(s) or ws(s) address without user or fragment, not "${flags.relay}"`,
    );
  }
  const signer = signerOf(flags.keyEnv);
  return { relay: base.http, ws: base.ws, signer, http: new RelayHttp(base.http, signer) };
}

/** 64 hex characters and nothing else: an nsec here is somebody's own key pasted by mistake. */
function signerOf(name: string): Signer {
  const text = process.env[name];
  if (text === undefined || text === '') throw new Error(`${name} is not set`);
  const secret = /^[0-9a-f]{64}$/i.test(text) ? parseSecret(text) : null;
  if (secret === null) throw new Error(`${name} holds no secret key: 64 hex characters are needed`);
  return signerFrom(secret);
}

function parseParams(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`JSON_PARAMS is not JSON: ${(error as Error).message}`);
  }
}

function list(value: string | undefined): string[] {
  return (value ?? '')
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '');
}

function kind(value: string): number {
  const number = Number(value);
  if (!/^\d{1,5}$/.test(value) || number > 65_535)
    throw new Error(`--kinds takes numbers from 0 to 65535, not "${value}"`);
  return number;
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').replace(/^error: /, '');
}

function fail(message: string): number {
  process.stderr.write(`tinyagent: ${firstLine(message)}\n`);
  return 1;
}
