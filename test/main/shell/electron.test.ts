import { mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Banner } from '../../../main/contract/notices.ts';
import type { Home } from '../../../main/home.ts';
import type { Shell, TrayModel } from '../../../main/shell/shell.ts';
import * as electron from '../electron-double.ts';
import { keptLog, temporaryHome } from '../quiet.ts';

vi.mock('electron', () => import('../electron-double.ts'));
let trayShown = true;
vi.mock('../../../main/shell/tray-host.ts', () => ({ trayIsShown: async () => trayShown }));

const { prepareElectron, startElectronShell } = await import('../../../main/shell/electron.ts');

let home: Home;
let shell: Shell;
let heard: unknown[][];

async function start(): Promise<void> {
  shell = await startElectronShell({
    home,
    log: keptLog().log,
    dashboard: home.at('renderer'),
    assets: '/assets',
    preload: '/dist/main/preload.cjs',
    bridge: {
      async call(name, args, from) {
        heard.push(['call', name, args, from]);
        return { ok: true, value: 1 };
      },
      add() {},
    },
    events: {
      onDecision: (...args) => heard.push(['decision', ...args]),
      onPageGone: page => heard.push(['gone', page]),
      onQuit: () => heard.push(['quit']),
      onPower: event => heard.push(['power', event]),
      onTrayCommand: command => heard.push(['tray', command]),
    },
  });
}

const theWindow = () => electron.BrowserWindow.made[0] ?? expect.unreachable('no window');

beforeEach(async () => {
  electron.reset();
  trayShown = true;
  heard = [];
  home = temporaryHome();
  mkdirSync(home.at('renderer'));
  writeFileSync(home.at('renderer', 'index.html'), '<title>dashboard</title>');
  await start();
});
afterEach(() => shell.close());

describe('F-61 what a window may be', () => {
  test('F-61 the web preferences are these and no others', async () => {
    await shell.open();
    expect(theWindow().options.webPreferences).toMatchInlineSnapshot(`
      {
        "allowRunningInsecureContent": false,
        "contextIsolation": true,
        "devTools": false,
        "disableBlinkFeatures": "Auxclick",
        "experimentalFeatures": false,
        "navigateOnDragDrop": false,
        "nodeIntegration": false,
        "nodeIntegrationInSubFrames": false,
        "nodeIntegrationInWorker": false,
        "preload": "/dist/main/preload.cjs",
        "safeDialogs": true,
        "sandbox": true,
        "webSecurity": true,
        "webviewTag": false,
      }
    `);
    expect(theWindow().options.show).toBe(false);
    expect(theWindow().loaded).toBe('tiny-app://dashboard/');
  });

  test('F-61 the sandbox is for every process, the data folder is the home, one instance a home', () => {
    expect(prepareElectron(home)).toBe(true);
    expect(electron.calls).toContainEqual(['app.enableSandbox']);
    expect(electron.calls).toContainEqual(['app.setPath', 'userData', home.at('electron')]);
    electron.app.requestSingleInstanceLock = () => false;
    expect(prepareElectron(home)).toBe(false);
    electron.app.requestSingleInstanceLock = () => true;
  });

  test.each([
    'https://evil.test/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'tiny-app://elsewhere/',
    'tiny-app:dashboard',
    'about:blank',
  ])('F-61 it goes nowhere: %s', async url => {
    await shell.open();
    for (const event of ['will-navigate', 'will-redirect', 'will-frame-navigate']) {
      const preventDefault = vi.fn();
      theWindow().webContents.emit(event, { url, preventDefault });
      expect(preventDefault).toHaveBeenCalledOnce();
    }
  });

  test('F-61 the dashboard itself may be gone to, a webview may not be made', async () => {
    await shell.open();
    const preventDefault = vi.fn();
    theWindow().webContents.emit('will-navigate', { url: 'tiny-app://dashboard/#/rooms', preventDefault });
    expect(preventDefault).not.toHaveBeenCalled();
    theWindow().webContents.emit('will-attach-webview', { preventDefault });
    expect(preventDefault).toHaveBeenCalledOnce();
  });

  test.each([
    ['https://example.org/page', true],
    ['http://example.org/', true],
    ['file:///etc/passwd', false],
    ['javascript:alert(1)', false],
    ['smb://server/share', false],
    ['ms-msdt:/id', false],
    ['https://user:word@example.org/', false],
    ['not an address', false],
  ])('F-61 no window opens, and %s goes to the system: %s', async (url, outside) => {
    await shell.open();
    expect(theWindow().webContents.openHandler?.({ url })).toEqual({ action: 'deny' });
    expect(electron.shell.opened).toEqual(outside ? [url] : []);
  });

  test.each([
    'media',
    'geolocation',
    'notifications',
    'midi',
    'openExternal',
    'clipboard-read',
    'fullscreen',
    'hid',
    'serial',
    'usb',
  ])('F-61 the permission %s is refused', permission => {
    const { request, check, device } = electron.session.defaultSession;
    const answer = vi.fn();
    request?.({}, permission, answer, { requestingUrl: 'tiny-app://dashboard/' });
    expect(answer).toHaveBeenCalledExactlyOnceWith(false);
    expect(check?.({}, permission, 'tiny-app://dashboard')).toBe(false);
    expect(device?.()).toBe(false);
  });

  test('F-61 copying is allowed, to our own page only', () => {
    const { check } = electron.session.defaultSession;
    expect(check?.({}, 'clipboard-sanitized-write', 'tiny-app://dashboard/')).toBe(true);
    expect(check?.({}, 'clipboard-sanitized-write', 'https://evil.test/')).toBe(false);
  });

  test.each([
    ['https://evil.test/pixel.png', true],
    ['http://127.0.0.1:4869/', true],
    ['file:///etc/passwd', true],
    ['ws://evil.test/', true],
    ['tiny-app://dashboard/assets/a.js', false],
    ['blob:tiny-app://dashboard/1', false],
  ])('F-61 a request to %s is cancelled: %s', (url, cancel) => {
    const answer = vi.fn();
    electron.session.defaultSession.before?.({ url }, answer);
    expect(answer).toHaveBeenCalledExactlyOnceWith({ cancel });
  });

  test.each([
    ['a page of another origin', { url: 'https://evil.test/', parent: null }],
    ['a frame inside ours', { url: 'tiny-app://dashboard/', parent: {} }],
    ['another host of our scheme', { url: 'tiny-app://evil/', parent: null }],
    ['no frame at all', null],
  ])('F-61 %s may not call', async (_what, senderFrame) => {
    const handler = electron.ipcMain.handlers.get('tiny:call');
    const reply = await handler?.(
      { senderFrame, sender: { id: 7 } } as never,
      'app.state' as never,
      {} as never,
    );
    expect(reply).toMatchObject({ ok: false, failure: { kind: 'refused' } });
    expect(heard).toEqual([]);
  });

  test('our own page may', async () => {
    const handler = electron.ipcMain.handlers.get('tiny:call');
    const event = { senderFrame: { url: 'tiny-app://dashboard/', parent: null }, sender: { id: 7 } };
    expect(await handler?.(event as never, 'app.state' as never, { a: 1 } as never)).toEqual({
      ok: true,
      value: 1,
    });
    expect(heard).toEqual([['call', 'app.state', { a: 1 }, { page: '7' }]]);
  });

  test('F-61 the scheme serves the dashboard under its policy and nothing else', async () => {
    const serve = electron.protocol.handlers.get('tiny-app') ?? expect.unreachable('no scheme');
    const page = await serve({ url: 'tiny-app://dashboard/', method: 'GET' });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(await page.text()).toContain('renderer/index.html');
    for (const url of [
      'tiny-app://dashboard/../x.js',
      'tiny-app://dashboard/%2e%2e/x.js',
      'tiny-app://evil/index.html',
    ]) {
      expect((await serve({ url, method: 'GET' })).status).toBe(404);
    }
    expect((await serve({ url: 'tiny-app://dashboard/', method: 'POST' })).status).toBe(404);
  });
});

describe('the window', () => {
  test('E2 a second start, the dock and the tray bring it forward; an address goes to the page', async () => {
    await shell.open('#/approvals/1');
    expect(theWindow().loaded).toBe('tiny-app://dashboard/#/approvals/1');
    theWindow().hide();
    for (const raise of [
      () => electron.app.emit('second-instance', {}, ['/usr/bin/tiny-desktop']),
      () => electron.app.emit('activate'),
      () => electron.Tray.made[0]?.emit('click'),
    ]) {
      theWindow().visible = false;
      raise();
      expect(theWindow().visible).toBe(true);
    }
    await shell.open('#/agents/2');
    expect(theWindow().webContents.sent).toEqual([
      ['tiny:push', { name: 'notices.open', value: { address: '#/agents/2' } }],
    ]);
    expect(electron.BrowserWindow.made).toHaveLength(1);
  });

  test('G1 the first close asks once and hides; the program goes on', async () => {
    await shell.open();
    expect(theWindow().pressClose()).toBe(true);
    await expect.poll(() => theWindow().visible).toBe(false);
    expect(electron.dialog.asked).toHaveLength(1);
    expect(electron.dialog.asked[0]?.buttons).toEqual([
      'Keep it in the tray',
      'Quit and stop all agents',
      'Cancel',
    ]);
    theWindow().show();
    theWindow().pressClose();
    await expect.poll(() => theWindow().visible).toBe(false);
    expect(electron.dialog.asked).toHaveLength(1);
    expect(heard).toEqual([]);
  });

  test('G1 who answers quit, quits', async () => {
    electron.dialog.answer = { response: 1, checkboxChecked: false };
    await shell.open();
    theWindow().pressClose();
    await expect.poll(() => heard).toEqual([['quit']]);
  });

  test('G3 G4 where no tray icon is shown, closing does not hide', async () => {
    await shell.close();
    electron.reset();
    trayShown = false;
    await start();
    await shell.open();
    expect(electron.Tray.made).toHaveLength(0);
    theWindow().pressClose();
    await expect.poll(() => heard).toContainEqual(['quit']);
    expect(electron.dialog.asked).toEqual([]);
  });

  test('G6 a window whose process ends is loaded again, and what was known of its page is forgotten', async () => {
    await shell.open();
    theWindow().webContents.emit('render-process-gone', {}, { reason: 'crashed' });
    expect(electron.calls).toContainEqual(['reload']);
    expect(heard).toEqual([['gone', '7']]);
  });

  test('quitting from the system stops in order first, and then lets it happen', async () => {
    const preventDefault = vi.fn();
    electron.app.emit('before-quit', { preventDefault });
    expect(preventDefault).toHaveBeenCalledOnce();
    expect(heard).toEqual([['quit']]);
    await shell.close();
    electron.app.emit('before-quit', { preventDefault });
    expect(preventDefault).toHaveBeenCalledOnce();
  });
});

describe('banners, tray, badge and power', () => {
  const banner: Banner = {
    tag: 'approval-1',
    category: 'approvals',
    title: 'Demo asks',
    body: 'Write a file',
    address: '#/approvals/1',
    actions: [
      { action: 'approve', title: 'Approve' },
      { action: 'deny', title: 'Deny' },
      { action: 'reply', title: 'Reply' },
    ],
    approval: '1'.repeat(64),
  };

  test('a banner has its buttons; the system says whether it was shown', async () => {
    expect(await shell.showBanner(banner)).toEqual({ outcome: 'shown' });
    expect(electron.Notification.made[0]?.options).toMatchObject({
      title: 'Demo asks',
      timeoutType: 'never',
      actions: [
        { type: 'button', text: 'Approve' },
        { type: 'button', text: 'Deny' },
        { type: 'button', text: 'Reply' },
      ],
    });
    electron.Notification.next = 'failed';
    expect(await shell.showBanner(banner)).toEqual({ outcome: 'failed', reason: 'the system said no' });
    electron.Notification.supported = false;
    expect(await shell.showBanner(banner)).toMatchObject({ outcome: 'failed' });
  });

  test('E8 a press closes it and decides; Reply and a click open the very request (E2)', async () => {
    await shell.open();
    for (const [index, expected] of [
      [0, ['decision', banner.approval, 'approve', 'banner']],
      [1, ['decision', banner.approval, 'deny', 'banner']],
    ] as const) {
      await shell.showBanner(banner);
      const shown = electron.Notification.made.at(-1);
      shown?.emit('action', { actionIndex: index });
      expect(shown?.closed).toBe(true);
      expect(heard.at(-1)).toEqual(expected);
    }
    await shell.showBanner(banner);
    electron.Notification.made.at(-1)?.emit('action', { actionIndex: 2 });
    await shell.showBanner(banner);
    electron.Notification.made.at(-1)?.emit('click', {});
    const opened = ['tiny:push', { name: 'notices.open', value: { address: '#/approvals/1' } }];
    expect(theWindow().webContents.sent).toEqual([opened, opened]);
    expect(heard).toHaveLength(2);
  });

  test('E7 it can be closed by its tag, and a newer one of the tag takes its place', async () => {
    await shell.showBanner(banner);
    await shell.showBanner({ ...banner, body: 'newer' });
    expect(electron.Notification.made[0]?.closed).toBe(true);
    shell.closeBanner(banner.tag);
    expect(electron.Notification.made[1]?.closed).toBe(true);
  });

  test('the tray holds what waits, whole, with its buttons; what runs; and the rest', () => {
    const model: TrayModel = {
      state: 'waiting',
      tooltip: '1 request waits',
      waiting: [
        { id: 'a'.repeat(64), title: 'Run rm & co', whole: `rm -rf build\n${'x'.repeat(170)}\u202etxt` },
      ],
      running: [
        { pubkey: 'b'.repeat(64), name: 'Demo', since: Date.now() - 180_000, what: 'Write the notes' },
      ],
    };
    shell.setTray(model);
    const tray = electron.Tray.made[0];
    expect(tray?.image).toMatchObject({ path: '/assets/tray-waiting.png' });
    expect(tray?.tip).toBe('1 request waits');
    const items = tray?.menu?.template ?? [];
    expect(items.map(({ label }) => label ?? '-')).toEqual([
      '1 request waits',
      '-',
      'Run rm && co',
      '-',
      'Demo: Write the notes, 3 min',
      '-',
      'Pause all agents',
      'Resume all agents',
      '-',
      'Open Tiny Desktop',
      'Settings',
      '-',
      'Quit and stop all agents',
    ]);
    const within = items[2]?.submenu ?? [];
    const text = within.map(({ label }) => label ?? '-');
    expect(text).toEqual([
      'rm -rf build',
      'x'.repeat(80),
      'x'.repeat(80),
      `${'x'.repeat(10)}<U+202E>txt`,
      '-',
      'Approve',
      'Deny',
      'Open',
    ]);
    within.find(({ label }) => label === 'Approve')?.click?.();
    within.find(({ label }) => label === 'Deny')?.click?.();
    items.find(({ label }) => label === 'Pause all agents')?.click?.();
    items.find(({ label }) => label === 'Quit and stop all agents')?.click?.();
    expect(heard).toEqual([
      ['decision', 'a'.repeat(64), 'approve', 'tray'],
      ['decision', 'a'.repeat(64), 'deny', 'tray'],
      ['tray', 'pause-all'],
      ['quit'],
    ]);
  });

  test('E9 the badge counts, and a locked screen is known as such', () => {
    shell.setBadge(3);
    expect(electron.calls).toContainEqual(['app.setBadgeCount', 3]);
    expect(shell.locked()).toBe(false);
    electron.powerMonitor.emit('lock-screen');
    expect(shell.locked()).toBe(true);
    electron.powerMonitor.emit('unlock-screen');
    expect(shell.locked()).toBe(false);
    electron.powerMonitor.emit('suspend');
    electron.powerMonitor.emit('resume');
    expect(heard).toEqual([
      ['power', 'lock'],
      ['power', 'unlock'],
      ['power', 'suspend'],
      ['power', 'resume'],
    ]);
  });
});
