// `tiny desktop`: its options, checked, and the start.

import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';

export type DesktopOptions = {
  home?: string;
  /** Not given: the usual port when it is free, else one that is picked. */
  relayPort?: number;
  shell?: 'electron' | 'browser';
  port: number;
  open: boolean;
  json: boolean;
  passphraseFile?: string;
};

/** Answers the exit code; resolves when the app has stopped. */
export async function desktopCommand(argv: string[]): Promise<number> {
  const options = parse(argv);
  if (typeof options === 'number') return options;
  const { runDesktop } = await import('./desktop.ts');
  return runDesktop(options);
}

function parse(argv: string[]): DesktopOptions | number {
  const command = new Command('tiny desktop')
    .description('The app: a private relay, your agents, and a dashboard where you decide.')
    .option('--home <DIR>', 'where everything is kept (else TINY_HOME, else the application data folder)')
    .addOption(
      new Option(
        '--relay-port <N>',
        'port of the relay on 127.0.0.1; 0 picks one (4869 when it is free)',
      ).argParser(port),
    )
    .addOption(new Option('--shell <NAME>', 'electron or browser').choices(['electron', 'browser']))
    .addOption(
      new Option('--port <N>', 'port of the dashboard in the browser shell; 0 picks one')
        .default(0)
        .argParser(port),
    )
    .option('--no-open', 'do not open the dashboard')
    .option('--json', 'say the ready line as JSON', false)
    .option('--passphrase-file <FILE>', 'file that holds the passphrase of the vault')
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({
      writeErr: text => process.stderr.write(text.split('\n')[0] ? `${text.split('\n')[0]}\n` : ''),
    });
  try {
    command.parse(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    throw error;
  }
  return command.opts<DesktopOptions>();
}

function port(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value <= 65_535 && text.trim() !== '') return value;
  throw new InvalidArgumentError('A port is a number from 0 to 65535.');
}
