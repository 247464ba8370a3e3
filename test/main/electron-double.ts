// A small double of the electron module: it keeps what it was told, and lets a test raise the system's events. Used in
// the place of the real one, which needs a display and a binary.

import { EventEmitter } from 'node:events';

type Listener = (...args: never[]) => unknown;

export const calls: unknown[][] = [];
const noted =
  (name: string) =>
  (...args: unknown[]): void =>
    void calls.push([name, ...args]);

class App extends EventEmitter {
  isPackaged = true;
  enableSandbox = noted('app.enableSandbox');
  setPath = noted('app.setPath');
  setLoginItemSettings = noted('app.setLoginItemSettings');
  requestSingleInstanceLock = () => true;
  whenReady = async () => {};
  getLoginItemSettings = () => ({ openAtLogin: true });
  setBadgeCount(count: number): boolean {
    calls.push(['app.setBadgeCount', count]);
    return true;
  }
}
export const app = new App();

export class WebContents extends EventEmitter {
  readonly id = 7;
  sent: unknown[] = [];
  openHandler: ((details: { url: string }) => unknown) | null = null;
  reload = noted('reload');
  send(channel: string, value: unknown): void {
    this.sent.push([channel, value]);
  }
  setWindowOpenHandler(handler: (details: { url: string }) => unknown): void {
    this.openHandler = handler;
  }
}

export class BrowserWindow extends EventEmitter {
  static made: BrowserWindow[] = [];
  readonly webContents = new WebContents();
  readonly options: Record<string, unknown>;
  loaded = '';
  visible = false;
  destroyed = false;
  constructor(options: Record<string, unknown>) {
    super();
    this.options = options;
    BrowserWindow.made.push(this);
    app.emit('web-contents-created', {}, this.webContents);
  }
  async loadURL(url: string): Promise<void> {
    this.loaded = url;
    this.emit('ready-to-show');
  }
  show(): void {
    this.visible = true;
  }
  hide(): void {
    this.visible = false;
  }
  focus = noted('window.focus');
  maximize = noted('window.maximize');
  restore = noted('window.restore');
  isMinimized = () => false;
  isMaximized = () => false;
  isDestroyed = () => this.destroyed;
  getNormalBounds = () => ({ x: 10, y: 20, width: 900, height: 700 });
  destroy(): void {
    this.destroyed = true;
    this.emit('closed');
  }
  /** The person presses the window's close button; true when the window was kept. */
  pressClose(): boolean {
    let kept = false;
    this.emit('close', {
      preventDefault() {
        kept = true;
      },
    });
    return kept;
  }
}

export const dialog = {
  answer: { response: 0, checkboxChecked: true },
  asked: [] as Record<string, unknown>[],
  async showMessageBox(_window: unknown, options: Record<string, unknown>) {
    this.asked.push(options);
    return this.answer;
  },
};

export const ipcMain = {
  handlers: new Map<string, Listener>(),
  handle(channel: string, handler: Listener): void {
    this.handlers.set(channel, handler);
  },
  removeHandler(channel: string): void {
    this.handlers.delete(channel);
  },
};

export const Menu = {
  buildFromTemplate: (template: unknown) => ({ template }),
  setApplicationMenu: noted('Menu.setApplicationMenu'),
};

export class Notification extends EventEmitter {
  static made: Notification[] = [];
  static supported = true;
  static isSupported = () => Notification.supported;
  /** What the system does with the next one. */
  static next: 'show' | 'failed' = 'show';
  readonly options: Record<string, unknown>;
  closed = false;
  constructor(options: Record<string, unknown>) {
    super();
    this.options = options;
    Notification.made.push(this);
  }
  show(): void {
    if (Notification.next === 'show') this.emit('show');
    else this.emit('failed', {}, 'the system said no');
  }
  close(): void {
    this.closed = true;
  }
}

export const nativeImage = {
  createFromPath: (path: string) => ({ path, setTemplateImage: noted('setTemplateImage') }),
};
export const net = { fetch: async (url: string) => new Response(`content of ${url}`) };
export const powerMonitor = new EventEmitter();
export const protocol = {
  registerSchemesAsPrivileged: noted('protocol.registerSchemesAsPrivileged'),
  handlers: new Map<string, (request: { url: string; method: string }) => Promise<Response>>(),
  handle(scheme: string, handler: (request: { url: string; method: string }) => Promise<Response>): void {
    this.handlers.set(scheme, handler);
  },
};
export const screen = { getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }] };

type Answer = (granted: unknown) => void;
export const session = {
  defaultSession: {
    request: null as
      | ((contents: unknown, permission: string, answer: Answer, details: { requestingUrl: string }) => void)
      | null,
    check: null as ((contents: unknown, permission: string, origin: string) => boolean) | null,
    device: null as (() => boolean) | null,
    before: null as ((details: { url: string }, answer: Answer) => void) | null,
    setPermissionRequestHandler(handler: never): void {
      this.request = handler;
    },
    setPermissionCheckHandler(handler: never): void {
      this.check = handler;
    },
    setDevicePermissionHandler(handler: never): void {
      this.device = handler;
    },
    webRequest: {
      onBeforeRequest(handler: never): void {
        session.defaultSession.before = handler;
      },
    },
  },
};
export const shell = {
  opened: [] as string[],
  async openExternal(url: string): Promise<void> {
    this.opened.push(url);
  },
  showItemInFolder: noted('shell.showItemInFolder'),
};

export class Tray extends EventEmitter {
  static made: Tray[] = [];
  image: unknown;
  tip = '';
  menu: {
    template: { label?: string; click?: () => void; submenu?: { label?: string; click?: () => void }[] }[];
  } | null = null;
  constructor(image: unknown) {
    super();
    this.image = image;
    Tray.made.push(this);
  }
  setImage(image: unknown): void {
    this.image = image;
  }
  setToolTip(text: string): void {
    this.tip = text;
  }
  setContextMenu(menu: never): void {
    this.menu = menu;
  }
  destroy = noted('tray.destroy');
}

/** Forgets everything between two tests. */
export function reset(): void {
  calls.length = 0;
  app.removeAllListeners();
  powerMonitor.removeAllListeners();
  BrowserWindow.made = [];
  Notification.made = [];
  Notification.next = 'show';
  Notification.supported = true;
  Tray.made = [];
  ipcMain.handlers.clear();
  dialog.asked = [];
  dialog.answer = { response: 0, checkboxChecked: true };
  shell.opened = [];
}
