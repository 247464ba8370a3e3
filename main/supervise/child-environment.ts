// What a child's environment holds. Secrets the program itself was given stop here.

/** Variables that are read once by main or by a runner and never passed on. */
const SECRETS = ['TINY_VAULT_PASSPHRASE', 'TINY_AGENT_KEY', 'TINY_PRIVATE_KEY'];

/** Variables that change how our own Node processes behave and are not theirs to inherit. */
const OURS = ['NODE_OPTIONS', 'NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE', 'ELECTRON_RUN_AS_NODE'];

/** Name of the variable that marks every process this desktop started, see ledger.ts. */
export const MARK = 'TINY_PROCESS';

/** A copy of `base` without secrets, with the mark and `extra` in it. */
export function childEnvironment(
  mark: string,
  extra: Record<string, string> = {},
  base: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value === undefined || SECRETS.includes(name) || OURS.includes(name)) continue;
    env[name] = value;
  }
  return { ...env, ...extra, [MARK]: mark };
}
