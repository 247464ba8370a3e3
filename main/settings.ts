// settings.json in the home: validated, written whole, refused untouched when a newer program wrote it (I13).

import { existsSync, readFileSync, renameSync } from 'node:fs';
import type { Handlers } from './contract/features.ts';
import { type Settings, settingsShape } from './contract/settings.ts';
import { type Home, writeWhole } from './home.ts';
import type { Logger } from './logs.ts';

export type SettingsStore = {
  get(): Settings;
  /** Replaces the named settings, on disk before it returns. */
  change(patch: Partial<Omit<Settings, 'version'>>): Settings;
  onChange(listener: (settings: Settings) => void): () => void;
  handlers: Handlers<'settings'>;
};

/** Thrown at start when settings.json was written by a newer program. The file has not been touched. */
export class NewerSettings extends Error {}

const current = 1;
const defaults: Settings = {
  version: current,
  scheme: 'auto',
  notices: { messages: true, replies: true, mentions: true, approvals: true, relay: true },
  welcomeDone: false,
  readTo: {},
};

/** Raises a file of an older shape by one version; the key is the version it starts from. None is needed yet. */
const migrations: Record<number, (old: Record<string, unknown>) => Record<string, unknown>> = {};

/** Reads the settings. A file that is no settings file is put aside under another name, never written over. */
export function openSettings(home: Home, log: Logger): SettingsStore {
  const file = home.at('settings.json');
  let settings = read(file, log);
  const listeners = new Set<(settings: Settings) => void>();

  function change(patch: Partial<Omit<Settings, 'version'>>): Settings {
    const next = settingsShape.parse({ ...settings, ...patch });
    writeWhole(file, `${JSON.stringify(next, null, 2)}\n`);
    settings = next;
    for (const listener of listeners) listener(settings);
    return settings;
  }

  return {
    get: () => settings,
    change,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    handlers: {
      get: () => settings,
      change: ({ scheme, notices }) =>
        change({
          ...(scheme === undefined ? {} : { scheme }),
          ...(notices === undefined ? {} : { notices: { ...settings.notices, ...notices } }),
        }),
    },
  };
}

function read(file: string, log: Logger): Settings {
  if (!existsSync(file)) return defaults;
  const raw = objectIn(readFileSync(file, 'utf8'));
  const version = raw?.version;
  if (raw === null || typeof version !== 'number' || !Number.isInteger(version) || version < 1) {
    const aside = `${file}.unreadable-${Date.now()}`;
    renameSync(file, aside);
    log.warn(`settings.json could not be read; it was kept as ${aside} and the defaults are in use`);
    return defaults;
  }
  if (version > current) {
    throw new NewerSettings(
      `${file} was made by a newer version of this program (settings ${version}, this one reads ${current}); ` +
        'nothing was touched',
    );
  }
  let value = raw;
  for (let from = version; from < current; from++) value = migrations[from]?.(value) ?? value;
  return salvage(value, log);
}

// One wrong value costs that one setting, not all of them.
function salvage(value: Record<string, unknown>, log: Logger): Settings {
  const kept: Record<string, unknown> = { ...defaults };
  for (const [name, shape] of Object.entries(settingsShape.shape)) {
    if (name === 'version' || !(name in value)) continue;
    const candidate =
      name === 'notices' && typeof value.notices === 'object'
        ? { ...defaults.notices, ...value.notices }
        : value[name];
    const parsed = shape.safeParse(candidate);
    if (parsed.success) kept[name] = parsed.data;
    else log.warn(`settings.json: ${name} is not valid; its default is in use`);
  }
  return settingsShape.parse(kept);
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    // Not JSON: the caller puts the file aside.
    return null;
  }
}
