export const stage: string;
export function stagePackage(target?: { platform?: string; arch?: string }): string[];
export function stagedFiles(folder: string): string[];
