import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openWindowMemory, placeOnScreen } from '../../../main/shell/window-state.ts';
import { temporaryHome } from '../quiet.ts';

const screens = [{ x: 0, y: 0, width: 1920, height: 1080 }];

test('the window comes back where it stood, unless that screen is gone', () => {
  const bounds = { x: 2000, y: 100, width: 900, height: 700 };
  expect(placeOnScreen({ maximized: false }, screens)).toEqual({ width: 1180, height: 800 });
  expect(placeOnScreen({ bounds, maximized: false }, screens)).toEqual({ width: 900, height: 700 });
  const second = { x: 1920, y: 0, width: 1920, height: 1080 };
  expect(placeOnScreen({ bounds, maximized: false }, [...screens, second])).toEqual(bounds);
});

test('what closing means is remembered; an unreadable file costs only the place', () => {
  const home = temporaryHome();
  openWindowMemory(home).change({ onClose: 'hide' });
  expect(openWindowMemory(home).get()).toEqual({ maximized: false, onClose: 'hide' });
  writeFileSync(home.at('window.json'), '{');
  expect(openWindowMemory(home).get()).toEqual({ maximized: false });
});
