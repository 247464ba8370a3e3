// Draws every icon from one source, assets/icon.svg: `node main/build/icons.mjs [BROWSER]` after that file or the tray's states
// changed. The pictures are kept in the repository, because drawing needs a browser and packaging must not.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { root } from './bundle.mjs';

const assets = join(root, 'assets');

/** A state's mark beside the letter; shape and colour both tell it, as in the dashboard. */
const marks = {
  idle: '',
  working: '<path d="M19 17l7 4.5-7 4.5z" fill="COLOUR"/>',
  waiting: '<circle cx="22.5" cy="21.5" r="5" fill="COLOUR"/>',
  problem: '<path d="M22.5 15.5l6 11h-12z" fill="COLOUR"/>',
};
const colours = { idle: '#4652c8', working: '#2f7fd6', waiting: '#d98a00', problem: '#d03b3b' };

function traySvg(state, template) {
  const letter = template ? '#000' : '#8b93a7';
  const mark = marks[state].replace('COLOUR', template ? '#000' : colours[state]);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M5 7h20M15 7v19" stroke="${letter}" stroke-width="4" stroke-linecap="round" fill="none"/>${mark}</svg>`;
}

// An installed browser by its path, else the one Playwright fetched.
const executablePath = process.argv[2];
const browser = await chromium.launch({
  args: ['--no-sandbox'],
  ...(executablePath ? { executablePath } : {}),
});
const page = await browser.newPage();

async function draw(svg, size, file) {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(
    `<style>*{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`,
  );
  writeFileSync(join(assets, file), await page.screenshot({ omitBackground: true }));
}

await draw(readFileSync(join(assets, 'icon.svg'), 'utf8'), 1024, 'icon.png');
for (const state of Object.keys(marks)) {
  for (const [kind, template] of [
    ['', false],
    ['Template', true],
  ]) {
    await draw(traySvg(state, template), 22, `tray-${state}${kind}.png`);
    await draw(traySvg(state, template), 44, `tray-${state}${kind}@2x.png`);
  }
}
await browser.close();
