// The data commands as a program: node run-command.ts WORD...; 9 when the word is none of them.

import { dataCommand } from '../../../relay/data/cli.ts';

process.exitCode = (await dataCommand(process.argv.slice(2))) ?? 9;
