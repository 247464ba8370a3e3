/** Path of a Chromium-like browser; rejects with what to install when none can be had. */
export function findBrowser(): Promise<string>;
export const browserArgs: string[];
