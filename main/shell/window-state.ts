// What the window remembers between starts: where it stood, and what closing it means once the person has said so.

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type Home, writeWhole } from '../home.ts';

const shape = z.object({
  bounds: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }).optional(),
  maximized: z.boolean().default(false),
  /** What closing the window does; not there until the person was asked. */
  onClose: z.enum(['hide', 'quit']).optional(),
});
export type WindowState = z.infer<typeof shape>;

export type WindowMemory = { get(): WindowState; change(patch: Partial<WindowState>): void };

/** A file that cannot be read costs a window's place, nothing more. */
export function openWindowMemory(home: Home): WindowMemory {
  const file = home.at('window.json');
  let state = read(file);
  return {
    get: () => state,
    change(patch) {
      state = { ...state, ...patch };
      writeWhole(file, `${JSON.stringify(state)}\n`);
    },
  };
}

function read(file: string): WindowState {
  try {
    return shape.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // The first start, or a file from elsewhere: the window opens where the system puts it.
    return { maximized: false };
  }
}

/** The remembered place when enough of it lies on a screen that is there now. */
export function placeOnScreen(
  state: WindowState,
  screens: { x: number; y: number; width: number; height: number }[],
): { x?: number; y?: number; width: number; height: number } {
  const { bounds } = state;
  if (!bounds) return { width: 1180, height: 800 };
  const seen = screens.some(
    ({ x, y, width, height }) =>
      Math.min(bounds.x + bounds.width, x + width) - Math.max(bounds.x, x) >= 120 &&
      Math.min(bounds.y + bounds.height, y + height) - Math.max(bounds.y, y) >= 80,
  );
  return seen ? bounds : { width: bounds.width, height: bounds.height };
}
