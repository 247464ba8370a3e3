// The tray's menu from its model: what waits with its buttons, what runs, pause and resume, open, quit.

import type { TrayModel } from './shell.ts';

/** A menu item, in the part of Electron's shape that is used. */
export type MenuItem = {
  label?: string;
  type?: 'separator';
  enabled?: boolean;
  click?: () => void;
  submenu?: MenuItem[];
};

export type TrayActions = {
  decide(approval: string, decision: 'approve' | 'deny'): void;
  open(address?: string): void;
  command(command: 'pause-all' | 'resume-all'): void;
  quit(): void;
};

const longestLine = 80;

/** The menu for this state, the way it will be shown. */
export function trayMenu(model: TrayModel, actions: TrayActions, now = Date.now()): MenuItem[] {
  const waiting = model.waiting.map(({ id, title, whole }) => ({
    label: oneLine(title),
    submenu: [
      ...linesOf(whole),
      { type: 'separator' as const },
      { label: 'Approve', click: () => actions.decide(id, 'approve') },
      { label: 'Deny', click: () => actions.decide(id, 'deny') },
      { label: 'Open', click: () => actions.open(`#/approvals/${id}`) },
    ],
  }));
  const running = model.running.map(({ pubkey, name, since, what }) => ({
    label: oneLine(`${name}: ${what || 'at work'}, ${elapsed(now - since)}`),
    click: () => actions.open(`#/agents/${pubkey}`),
  }));
  return [
    { label: oneLine(model.tooltip), enabled: false },
    { type: 'separator' },
    ...waiting,
    ...(waiting.length > 0 ? [{ type: 'separator' as const }] : []),
    ...running,
    ...(running.length > 0 ? [{ type: 'separator' as const }] : []),
    { label: 'Pause all agents', click: () => actions.command('pause-all') },
    { label: 'Resume all agents', click: () => actions.command('resume-all') },
    { type: 'separator' },
    { label: 'Open Tiny Desktop', click: () => actions.open() },
    { label: 'Settings', click: () => actions.open('#/settings') },
    { type: 'separator' },
    { label: 'Quit and stop all agents', click: () => actions.quit() },
  ];
}

// The whole action has to be there before Approve is: as many lines as it takes.
function linesOf(text: string): MenuItem[] {
  const lines = text.split('\n').flatMap(line => pieces(line));
  return lines.map(label => ({ label, enabled: false }));
}

function pieces(line: string): string[] {
  const found: string[] = [];
  for (let at = 0; at === 0 || at < line.length; at += longestLine)
    found.push(visible(line.slice(at, at + longestLine)));
  return found;
}

function oneLine(text: string): string {
  const line = visible(text.replace(/\s+/g, ' ').trim());
  return line.length > longestLine ? `${line.slice(0, longestLine - 1)}…` : line;
}

// Menus read & as "underline the next letter", and would show characters that turn text around as nothing.
function visible(text: string): string {
  return text
    .replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, sign => {
      const code = sign.codePointAt(0) ?? 0;
      return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
    })
    .replaceAll('&', '&&');
}

function elapsed(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'just begun';
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
