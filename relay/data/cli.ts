// The data commands as the first word after `tiny relay`.

import { Command, CommanderError } from 'commander';
import { startRelay } from '../relay.ts';
import { dataCommands, type OpenRelay } from './commands.ts';

/** Runs `backup`, `restore`, `check`, `export` or `import` and answers the exit code; null when it is none of them. */
export async function dataCommand(argv: readonly string[]): Promise<number | null> {
  let code = 0;
  const program = new Command('tiny relay');
  dataCommands(program, openRelay, failed => {
    code = failed;
  });
  if (!program.commands.some(command => command.name() === argv[0])) return null;
  // What a subcommand inherits must be set before it is made; these are set on each afterwards.
  for (const command of program.commands) {
    command.exitOverride().allowExcessArguments(false);
    command.configureOutput({ writeErr: text => process.stderr.write(`${text.trim().split('\n')[0]}\n`) });
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
  return code;
}

/** One line a command, for the help of `tiny relay`. */
export function dataHelp(): string {
  const program = new Command('tiny relay');
  dataCommands(program, openRelay, () => {});
  const rows = program.commands.map(command => {
    const argument = command.registeredArguments.map(one => ` ${one.name().toUpperCase()}`).join('');
    return `  ${`${command.name()}${argument} --data DIR`.padEnd(28)} ${command.description()}`;
  });
  return `\nData:\n${rows.join('\n')}`;
}

/** The whole relay, on a port of this machine that nobody is told of: events enter where all events enter. */
const openRelay: OpenRelay = async data => {
  const relay = await startRelay({ data, port: 0 });
  return {
    publish: (event, origin) => relay.context.admission.publish(event, origin),
    close: () => relay.close(),
  };
};
