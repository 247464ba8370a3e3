export const root: string;
export const external: string[];
export function bundle(): Promise<void>;
