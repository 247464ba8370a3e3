// The Electron shell: one window on the dashboard's own scheme, the tray, banners, badge, login item, power. What it may
// and may not do is in electron-lockdown.ts; this file makes the calls.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  Notification,
  nativeImage,
  net,
  powerMonitor,
  protocol,
  screen,
  session,
  shell,
  Tray,
} from 'electron';
import type { Bridge } from '../bridge.ts';
import type { Home } from '../home.ts';
import type { Logger } from '../logs.ts';
import { dashboardFile, securityHeaders } from './dashboard-files.ts';
import { addressIn, addressOf } from './deep-link.ts';
import { createBanners } from './electron-banners.ts';
import {
  dashboardOrigin,
  foreignFrame,
  isOurFrame,
  isOurs,
  mayOpenOutside,
  mayUse,
  privilegedScheme,
  scheme,
  webPreferences,
} from './electron-lockdown.ts';
import { trayMenu } from './electron-tray.ts';
import type { Shell, ShellEvents, TrayModel } from './shell.ts';
import { trayIsShown } from './tray-host.ts';
import { openWindowMemory, placeOnScreen } from './window-state.ts';

export type ElectronShellOptions = {
  bridge: Bridge;
  events: ShellEvents;
  log: Logger;
  home: Home;
  /** The built dashboard, the icons, the bundled preload. */
  dashboard: string;
  assets: string;
  preload: string;
};

/** What has to be said before the app is ready. False when another start has this home: that one shows itself. */
export function prepareElectron(home: Home): boolean {
  app.setPath('userData', home.folder('electron'));
  app.enableSandbox();
  protocol.registerSchemesAsPrivileged([privilegedScheme]);
  return app.requestSingleInstanceLock();
}

/** Opens the shell once the app is ready; the window comes with open(). */
export async function startElectronShell(options: ElectronShellOptions): Promise<Shell> {
  const { bridge, events, log, home, assets } = options;
  await app.whenReady();
  lockDown(log);
  serveDashboard(options.dashboard);
  answerCalls(bridge);

  const memory = openWindowMemory(home);
  let window: BrowserWindow | null = null;
  let tray: Tray | null = null;
  let model: TrayModel = { state: 'idle', tooltip: 'Tiny Desktop', waiting: [], running: [] };
  let locked = false;
  let quitting = false;

  const shown = await trayIsShown(process.env);
  if (shown) {
    tray = new Tray(trayIcon(assets, model));
    tray.on('click', () => void open());
  }
  Menu.setApplicationMenu(Menu.buildFromTemplate(applicationMenu()));

  const banners = createBanners({
    make: given => new Notification(given),
    supported: () => Notification.isSupported(),
    decide: (approval, decision) => events.onDecision(approval, decision, 'banner'),
    open: address => void open(address),
  });
  const trayActions = {
    decide: (approval: string, decision: 'approve' | 'deny') => events.onDecision(approval, decision, 'tray'),
    open: (address?: string) => void open(address),
    command: events.onTrayCommand,
    quit: events.onQuit,
  };

  app.on('second-instance', (_event, argv) => void open(addressIn(argv)));
  app.on('open-url', (event, url) => {
    event.preventDefault();
    void open(addressOf(url) ?? '');
  });
  app.on('activate', () => void open());
  // The program lives on without a window; only quitting ends it.
  app.on('window-all-closed', () => {});
  app.on('before-quit', event => {
    if (quitting) return;
    event.preventDefault();
    events.onQuit();
  });
  for (const event of ['suspend', 'resume'] as const)
    powerMonitor.on(event as 'suspend', () => events.onPower(event));
  powerMonitor.on('lock-screen', () => {
    locked = true;
    events.onPower('lock');
  });
  powerMonitor.on('unlock-screen', () => {
    locked = false;
    events.onPower('unlock');
  });

  async function open(address = ''): Promise<void> {
    if (window) {
      if (window.isMinimized()) window.restore();
      window.show();
      window.focus();
      if (address) window.webContents.send('tiny:push', { name: 'notices.open', value: { address } });
      return;
    }
    window = makeWindow();
    await window.loadURL(`${dashboardOrigin}/${address}`);
  }

  function makeWindow(): BrowserWindow {
    const state = memory.get();
    const place = placeOnScreen(
      state,
      screen.getAllDisplays().map(({ workArea }) => workArea),
    );
    const made = new BrowserWindow({
      ...place,
      minWidth: 420,
      minHeight: 480,
      show: false,
      title: 'Tiny Desktop',
      icon: join(assets, 'icon.png'),
      webPreferences: webPreferences(options.preload, app.isPackaged),
    });
    const page = String(made.webContents.id);
    if (state.maximized) made.maximize();
    made.once('ready-to-show', () => made.show());
    made.on('close', event => {
      memory.change({ bounds: made.getNormalBounds(), maximized: made.isMaximized() });
      if (quitting) return;
      event.preventDefault();
      void closing(made);
    });
    made.on('closed', () => {
      window = null;
      events.onPageGone(page);
    });
    made.webContents.on('render-process-gone', (_event, { reason }) => {
      log.error(`the window's process ended: ${reason}`);
      events.onPageGone(page);
      if (!made.isDestroyed() && reason !== 'clean-exit') made.webContents.reload();
    });
    return made;
  }

  // Asked once what closing means; hidden only where there is an icon to come back by (cases G1 G3 G4).
  async function closing(made: BrowserWindow): Promise<void> {
    if (!tray) {
      events.onQuit();
      return;
    }
    let choice = memory.get().onClose;
    if (!choice) {
      const { response, checkboxChecked } = await dialog.showMessageBox(made, {
        type: 'question',
        message: 'Keep Tiny Desktop running?',
        detail: 'Your agents and the relay go on working while it is in the tray. Quitting stops them.',
        buttons: ['Keep it in the tray', 'Quit and stop all agents', 'Cancel'],
        defaultId: 0,
        cancelId: 2,
        checkboxLabel: 'Do not ask again',
        checkboxChecked: true,
      });
      if (response === 2) return;
      choice = response === 0 ? 'hide' : 'quit';
      if (checkboxChecked) memory.change({ onClose: choice });
    }
    if (choice === 'hide') made.hide();
    else events.onQuit();
  }

  return {
    name: 'electron',
    dashboard: null,
    open,
    push: (name, value) => window?.webContents.send('tiny:push', { name, value }),
    showBanner: banner => banners.show(banner),
    closeBanner: tag => banners.close(tag),
    // The system's own banners need no page's leave.
    report() {},
    setTray(next) {
      model = next;
      tray?.setImage(trayIcon(assets, model));
      tray?.setToolTip(model.tooltip);
      tray?.setContextMenu(Menu.buildFromTemplate(trayMenu(model, trayActions)));
    },
    setBadge: count => void app.setBadgeCount(count),
    loginItem:
      process.platform === 'linux'
        ? null
        : {
            get: () => app.getLoginItemSettings().openAtLogin,
            set: openAtLogin => app.setLoginItemSettings({ openAtLogin }),
          },
    reveal: path => shell.showItemInFolder(path),
    locked: () => locked,
    async close() {
      quitting = true;
      banners.closeAll();
      tray?.destroy();
      window?.destroy();
      ipcMain.removeHandler('tiny:call');
    },
  };
}

function lockDown(log: Logger): void {
  const ours = session.defaultSession;
  ours.setPermissionRequestHandler((_contents, permission, answer, details) =>
    answer(mayUse(permission, details.requestingUrl)),
  );
  ours.setPermissionCheckHandler((_contents, permission, origin) => mayUse(permission, origin));
  ours.setDevicePermissionHandler(() => false);
  // The dashboard has no business with the network: whatever asks for it is refused.
  ours.webRequest.onBeforeRequest(({ url }, answer) => {
    answer({
      cancel: !(
        isOurs(url) ||
        url.startsWith('devtools:') ||
        url.startsWith('blob:') ||
        url.startsWith('data:')
      ),
    });
  });
  app.on('web-contents-created', (_event, contents) => {
    const stay = (event: { preventDefault(): void }, url: string) => {
      if (!isOurs(url)) event.preventDefault();
    };
    contents.on('will-navigate', event => stay(event, event.url));
    contents.on('will-redirect', event => stay(event, event.url));
    contents.on('will-frame-navigate', event => stay(event, event.url));
    contents.on('will-attach-webview', event => event.preventDefault());
    contents.setWindowOpenHandler(({ url }) => {
      if (mayOpenOutside(url))
        shell.openExternal(url).catch(error => log.warn({ err: error }, 'a link was not opened'));
      return { action: 'deny' };
    });
  });
}

function serveDashboard(folder: string): void {
  protocol.handle(scheme, async request => {
    const { pathname } = new URL(request.url);
    const file = isOurs(request.url) && request.method === 'GET' ? dashboardFile(folder, pathname) : null;
    if (!file) return new Response('There is nothing here.\n', { status: 404, headers: securityHeaders });
    const { body } = await net.fetch(pathToFileURL(file.path).href);
    return new Response(body, { headers: { ...securityHeaders, ...file.headers } });
  });
}

function answerCalls(bridge: Bridge): void {
  ipcMain.handle('tiny:call', (event, name: unknown, args: unknown) => {
    if (!isOurFrame(event.senderFrame)) return foreignFrame;
    return bridge.call(String(name), args, { page: String(event.sender.id) });
  });
}

function applicationMenu(): Electron.MenuItemConstructorOptions[] {
  return [
    ...(process.platform === 'darwin' ? [{ role: 'appMenu' as const }] : [{ role: 'fileMenu' as const }]),
    { role: 'editMenu' },
    { role: 'viewMenu' },
    { role: 'windowMenu' },
  ];
}

function trayIcon(assets: string, { state }: TrayModel): Electron.NativeImage {
  const template = process.platform === 'darwin';
  const image = nativeImage.createFromPath(join(assets, `tray-${state}${template ? 'Template' : ''}.png`));
  if (template) image.setTemplateImage(true);
  return image;
}
