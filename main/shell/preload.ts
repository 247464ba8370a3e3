// What the dashboard's page gets of Electron: two doors, calls and pushes, and nothing else. Bundled to one file,
// because a sandboxed preload can import no other.

import { contextBridge, ipcRenderer } from 'electron';

contextBridge.exposeInMainWorld('tiny', {
  call: (name: unknown, args: unknown) => ipcRenderer.invoke('tiny:call', String(name), args),
  onPush(listener: (push: unknown) => void) {
    // The event itself stays here: it carries the sender, with which a page could talk past the two doors.
    const heard = (_event: unknown, push: unknown) => listener(push);
    ipcRenderer.on('tiny:push', heard);
    return () => {
      ipcRenderer.off('tiny:push', heard);
    };
  },
});
