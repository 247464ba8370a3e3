export function dashboardState(): 'fresh' | 'stale' | 'no sources';
export function canBuild(): boolean;
export function buildDashboard(): Promise<void>;
export const root: string;
