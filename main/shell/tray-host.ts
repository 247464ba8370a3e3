// Does this desktop show tray icons at all? On Linux that is a service on the session bus (StatusNotifierItem); without
// it an icon is set up in vain and a hidden window could not be found again (cases G3 G4).

import { Bus, sessionBusSocket } from '../dbus/bus.ts';

/** True when a tray icon will really be seen. */
export async function trayIsShown(env: NodeJS.ProcessEnv, platform = process.platform): Promise<boolean> {
  if (platform !== 'linux') return true;
  const socket = sessionBusSocket(env);
  if (!socket) return false;
  let bus: Bus | null = null;
  try {
    bus = await Bus.open(socket, 2000);
    const answer = await bus.call({
      destination: 'org.kde.StatusNotifierWatcher',
      path: '/StatusNotifierWatcher',
      interface: 'org.freedesktop.DBus.Properties',
      member: 'Get',
      signature: 'ss',
      body: ['org.kde.StatusNotifierWatcher', 'IsStatusNotifierHostRegistered'],
    });
    return answer.body[0] === true;
  } catch {
    // No bus, or a silent one: then nobody shows icons either.
    return false;
  } finally {
    bus?.close();
  }
}
