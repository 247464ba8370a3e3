#!/usr/bin/env node
// `tinyagent`: the connector for agent programs. Its own command line is runner/connector/cli.ts.

import { launch } from './main/launch.mjs';

await launch({ name: 'tinyagent', whole: { file: 'runner/connector/cli.ts', run: 'connectorCommand' } });
