// `tiny agent` as a process, without the launcher in between.
import { agentCommand } from '../../runner/cli.ts';

process.exitCode = await agentCommand(process.argv.slice(2));
