// `tinyagent` as a process, without the launcher in between.
import { connectorCommand } from '../../../runner/connector/cli.ts';

process.exitCode = await connectorCommand(process.argv.slice(2));
