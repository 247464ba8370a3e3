// Looks at the Linux keychain without asking it for anything: is there a session bus, a Secret Service on it, our item,
// and is it locked? libsecret answers "nothing" for an item that is missing and for one that stays locked alike, and
// the two must not be mistaken for each other (cases F1 F-60).

import { Bus, sessionBusSocket } from '../dbus/bus.ts';

export type Sight =
  | { seen: 'no-session' | 'no-service' | 'silent'; words: string }
  | { seen: 'item'; locked: boolean }
  | { seen: 'no-item'; keyring: 'locked' | 'unlocked' | 'none' };

const service = { destination: 'org.freedesktop.secrets', path: '/org/freedesktop/secrets' };

/** What the session's Secret Service holds under these attributes. Shows no prompt; answers within `within` ms. */
export async function lookAtSecretService(
  attributes: Record<string, string>,
  env: NodeJS.ProcessEnv,
  within: number,
): Promise<Sight> {
  const address = sessionBusSocket(env);
  if (!address) return { seen: 'no-session', words: 'there is no D-Bus session bus' };
  let bus: Bus;
  try {
    bus = await Bus.open(address, within);
  } catch (error) {
    return { seen: 'no-session', words: `the D-Bus session bus does not answer: ${wordsOf(error)}` };
  }
  try {
    const found = await bus.call({
      ...service,
      interface: 'org.freedesktop.Secret.Service',
      member: 'SearchItems',
      signature: 'a{ss}',
      body: [attributes],
    });
    if (found.error)
      return { seen: 'no-service', words: `no Secret Service on the session bus: ${found.error}` };
    const [unlocked = [], locked = []] = found.body as [string[]?, string[]?];
    if (unlocked.length > 0) return { seen: 'item', locked: false };
    if (locked.length > 0) return { seen: 'item', locked: true };
    return { seen: 'no-item', keyring: await defaultKeyring(bus) };
  } catch (error) {
    return { seen: 'silent', words: wordsOf(error) };
  } finally {
    bus.close();
  }
}

async function defaultKeyring(bus: Bus): Promise<'locked' | 'unlocked' | 'none'> {
  const alias = await bus.call({
    ...service,
    interface: 'org.freedesktop.Secret.Service',
    member: 'ReadAlias',
    signature: 's',
    body: ['default'],
  });
  const path = alias.body[0];
  if (alias.error || typeof path !== 'string' || path === '/') return 'none';
  const locked = await bus.call({
    destination: service.destination,
    path,
    interface: 'org.freedesktop.DBus.Properties',
    member: 'Get',
    signature: 'ss',
    body: ['org.freedesktop.Secret.Collection', 'Locked'],
  });
  return locked.body[0] === true ? 'locked' : 'unlocked';
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
