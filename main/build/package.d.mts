export function archiveAddress(
  version: string,
  env?: NodeJS.ProcessEnv,
  target?: { platform?: string; arch?: string },
): string;
export function archiveProblem(address: string, ask?: typeof fetch): Promise<string | null>;
