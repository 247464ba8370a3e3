// Builds the dashboard into dist/renderer: one page, and the service worker at a name that never changes.

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const root = import.meta.dirname;

export default defineConfig({
  root,
  base: './',
  plugins: [react()],
  build: {
    outDir: `${root}/../dist/renderer`,
    emptyOutDir: true,
    target: 'es2024',
    // The policy of the page allows no inline script, and what is inlined as data cannot be cached.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1500,
    rolldownOptions: {
      input: { index: `${root}/index.html`, 'service-worker': `${root}/service-worker.ts` },
      output: {
        // A service worker's address is its identity: a hash in it would leave the old one in charge.
        entryFileNames: chunk =>
          chunk.name === 'service-worker' ? 'service-worker.js' : 'assets/[name]-[hash].js',
      },
    },
  },
});
