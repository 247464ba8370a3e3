// The sidebar: what waits, the rooms, the agents, the rest; icons only where the window is narrow.

import { ActionIcon, Tooltip } from '@mantine/core';
import { openSpotlight } from '@mantine/spotlight';
import { IconPlayerPause, IconPlus, IconSearch } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { AppState } from '../../main/contract/app.ts';
import { BypassNotice, BypassSign } from '../agents/bypass.tsx';
import { countCallbacks, countWords } from '../callbacks/callback-words.ts';
import { useCallbackList } from '../callbacks/use-callbacks.ts';
import { useAgents, useAppState, useParty, useRooms } from '../parts/live.ts';
import { Picture } from '../parts/picture.tsx';
import { StateMark, type StateName } from '../parts/state-mark.tsx';
import { newRoom } from '../rooms/room-form.tsx';
import { BannerOffer } from './banner-offer.tsx';
import { pages } from './pages.tsx';
import { type PlaceName, places } from './places.tsx';
import { address, useAddress } from './router.ts';
import classes from './sidebar.module.css';

type Place = { folded: boolean };

export function Sidebar({ folded }: Place) {
  const state = useAppState();
  return (
    <nav className={classes.sidebar} data-folded={folded || undefined} aria-label="Places">
      <Head state={state} folded={folded} />
      <div className={classes.places}>
        <SideLink to="approvals" folded={folded}>
          <Count value={state?.waiting ?? 0} what="waiting for you" strong />
        </SideLink>
        <Rooms folded={folded} />
        <Agents folded={folded} />
        <SideLink to="jobs" folded={folded} />
        <Callbacks folded={folded} />
      </div>
      <div className={classes.bottom}>
        {folded ? <BypassSign /> : <BypassNotice compact />}
        {folded ? null : <BannerOffer />}
        <SideLink to="health" folded={folded} />
        <SideLink to="settings" folded={folded} />
        {state?.owner ? <Owner pubkey={state.owner.pubkey} folded={folded} /> : null}
      </div>
    </nav>
  );
}

/** How the relay is, in one word with its reason. */
export function relayState(state: AppState): { state: StateName; reason: string } {
  const { relay, connection } = state;
  if (relay.state !== 'running') {
    const reason = relay.reason ?? 'the relay is not running';
    return { state: relay.state, reason };
  }
  if (connection.state === 'online') return { state: 'online', reason: relay.url ?? '' };
  return { state: connection.state, reason: connection.reason ?? 'no connection to the relay yet' };
}

function Head({ state, folded }: Place & { state: AppState | undefined }) {
  const relay = state ? relayState(state) : undefined;
  return (
    <div className={classes.head}>
      {folded ? null : (
        <span className={classes.brand}>
          <span className={classes.name}>Tiny</span>
          {relay ? <StateMark as="plain" state={relay.state} reason={relay.reason} /> : null}
        </span>
      )}
      <Tooltip label="Find anything (Ctrl or Cmd K)" position="right">
        <ActionIcon aria-label="Find anything" size={32} onClick={openSpotlight}>
          <IconSearch size={18} />
        </ActionIcon>
      </Tooltip>
      {folded && relay ? <StateMark as="icon" state={relay.state} reason={relay.reason} /> : null}
    </div>
  );
}

function Rooms({ folded }: Place) {
  const rooms = useRooms();
  const unread = rooms.reduce((sum, room) => sum + room.unread, 0);
  return (
    <SideLink
      to="rooms"
      folded={folded}
      list={rooms.map(room => (
        <SideItem key={room.id} to={['rooms', room.id]} unread={room.unread > 0}>
          <span className={classes.sign}>#</span>
          <span className={classes.label}>{room.name || room.id}</span>
          <Count value={room.unread} what="unread" />
        </SideItem>
      ))}
      add={{ onClick: newRoom, label: 'New room' }}
    >
      {folded ? <Count value={unread} what="unread" /> : null}
    </SideLink>
  );
}

function Agents({ folded }: Place) {
  const agents = useAgents();
  return (
    <SideLink
      to="agents"
      folded={folded}
      list={agents.map(agent => (
        <SideItem key={agent.pubkey} to={['agents', agent.pubkey]}>
          <Picture pubkey={agent.pubkey} agent size={18} />
          <span className={classes.label}>{agent.name}</span>
          <StateMark as="icon" state={agent.state} reason={agent.reason} />
        </SideItem>
      ))}
      add={{ to: '#/agents/new', label: 'Add an agent' }}
    />
  );
}

/** How many are active and how many paused (seed, "Manage callbacks"). */
function Callbacks({ folded }: Place) {
  const counts = countCallbacks(useCallbackList()?.items ?? []);
  const { active, paused } = counts;
  return (
    <SideLink to="callbacks" folded={folded}>
      {active + paused === 0 ? null : (
        <span className={classes.count} title={countWords(counts)}>
          <span aria-hidden>{active}</span>
          {folded || paused === 0 ? null : (
            <span className={classes.paused} aria-hidden>
              <IconPlayerPause size={12} />
              {paused}
            </span>
          )}
          <span className={classes.unseen}> {countWords(counts)}</span>
        </span>
      )}
    </SideLink>
  );
}

type Add = { label: string } & (
  | { to: string; onClick?: undefined }
  | { onClick: () => void; to?: undefined }
);

type SideLinkProps = Place & {
  to: PlaceName;
  list?: ReactNode[];
  add?: Add;
  children?: ReactNode;
};

function SideLink({ to, folded, list, add, children }: SideLinkProps) {
  const { label, icon: Icon } = places[to];
  const at = useAddress();
  if (!(to in pages)) return null;
  const here = at[0] === to;
  const link = (
    <a
      className={classes.link}
      href={address(to)}
      aria-label={folded ? label : undefined}
      aria-current={here && (folded || at.length === 1) ? 'page' : undefined}
    >
      <Icon size={18} />
      {folded ? null : <span className={classes.label}>{label}</span>}
      {children}
    </a>
  );
  if (folded) {
    return (
      <Tooltip label={label} position="right">
        {link}
      </Tooltip>
    );
  }
  return (
    <div>
      <div className={classes.row}>
        {link}
        {add ? <AddButton add={add} /> : null}
      </div>
      {list && list.length > 0 ? <ul className={classes.items}>{list}</ul> : null}
    </div>
  );
}

function AddButton({ add }: { add: Add }) {
  const look = { 'aria-label': add.label, title: add.label, size: 28 };
  return add.to === undefined ? (
    <ActionIcon {...look} onClick={add.onClick}>
      <IconPlus size={16} />
    </ActionIcon>
  ) : (
    <ActionIcon component="a" href={add.to} {...look}>
      <IconPlus size={16} />
    </ActionIcon>
  );
}

function SideItem({ to, unread = false, children }: { to: string[]; unread?: boolean; children: ReactNode }) {
  const at = useAddress();
  const here = to.every((part, index) => at[index] === part);
  return (
    <li>
      <a
        className={classes.item}
        href={address(...to)}
        aria-current={here ? 'page' : undefined}
        data-unread={unread || undefined}
      >
        {children}
      </a>
    </li>
  );
}

/** A number beside a place; nothing at zero. */
function Count({ value, what, strong = false }: { value: number; what: string; strong?: boolean }) {
  if (value === 0) return null;
  return (
    <span className={classes.count} data-strong={strong || undefined} title={`${value} ${what}`}>
      {value > 99 ? '99+' : value}
      <span className={classes.unseen}> {what}</span>
    </span>
  );
}

function Owner({ pubkey, folded }: Place & { pubkey: string }) {
  const party = useParty(pubkey);
  return (
    <div className={classes.owner} title={party.npub}>
      <Picture pubkey={pubkey} size={20} />
      {folded ? null : <span className={classes.label}>{party.name}</span>}
    </div>
  );
}
