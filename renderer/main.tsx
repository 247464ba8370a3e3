// The dashboard's entry: styles in order, the stream of pushes, then the page.

import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import './theme/global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { startPushes } from './bridge.ts';
import { App } from './frame/app.tsx';
import { startBanners } from './frame/banners.ts';
import { keepFresh } from './frame/keep-fresh.ts';

keepFresh();
startPushes();
startBanners();

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
