// npm's `prepare`: the dashboard is built once after an install. It never fails an install: without vite
// (--omit=dev) there is nothing to do, and a build that breaks is tried again, and shown, at the next start.

import { buildDashboard, canBuild, dashboardState } from './dashboard.mjs';

if (dashboardState() === 'stale' && canBuild()) {
  try {
    await buildDashboard();
  } catch (error) {
    console.error(`The dashboard was not built: ${error instanceof Error ? error.message : String(error)}`);
  }
}
