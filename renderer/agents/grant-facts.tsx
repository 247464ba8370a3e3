// The facts of a grant, one a row, as the seed's agent card lists them.

import type { AgentView, GrantView } from '../../main/contract/agents.ts';
import { Key } from '../parts/key.tsx';
import { useRooms } from '../parts/live.ts';
import { Facts } from '../parts/page.tsx';
import { Person } from '../parts/person.tsx';
import { When } from '../parts/when.tsx';
import classes from './agents.module.css';
import { jobWords, kindWords, wikiWords } from './grant-words.ts';

type Row = readonly [string, React.ReactNode];

export function GrantFacts({ agent }: { agent: AgentView }) {
  const { grant } = agent;
  const key: Row = ['Key', <Key key="key" value={agent.pubkey} />];
  if (grant === null) return <Facts rows={[key, ['Grant', 'None: it may publish nothing']]} />;
  return <Facts rows={[key, ...scopeRows(grant), ...termRows(grant)]} />;
}

function scopeRows({ scope }: GrantView): Row[] {
  const rows: Row[] = [['Rooms', <RoomLinks key="rooms" rooms={scope.rooms} />]];
  if (scope.repos.length > 0) {
    rows.push([
      'Repositories',
      <ul key="repos" className={classes.words}>
        {scope.repos.map(repo => (
          <li key={`${repo.owner}:${repo.identifier}`}>
            {repo.identifier} <span className={classes.small}>{repo.level}, of</span>{' '}
            <Person pubkey={repo.owner} size={0} />
          </li>
        ))}
      </ul>,
    ]);
  }
  if (scope.wiki !== undefined) rows.push(['Wiki', wikiWords(scope.wiki)]);
  if (scope.sites !== undefined && scope.sites.length > 0) {
    rows.push([
      'Sites',
      scope.sites
        .map(site => {
          const label = site.label === '*' ? 'every site of its own' : site.label;
          const ttl = site.ttl === undefined ? '' : `, for ${site.ttl} days at most`;
          return `${label}${ttl}${site.encrypted === true ? ', encrypted' : ''}`;
        })
        .join('; '),
    ]);
  }
  rows.push(['Long tasks', jobWords(scope.jobs)]);
  rows.push(['Kinds', kindWords(scope.kinds)]);
  rows.push(['Rate', `${scope.rate} events a minute`]);
  return rows;
}

function termRows(grant: GrantView): Row[] {
  const over = grant.expires * 1000 <= Date.now();
  const rows: Row[] = [
    [over ? 'Expired' : 'Expires', <When key="expires" seconds={grant.expires} />],
    ['Signed by', <Person key="owner" pubkey={grant.owner} />],
  ];
  if (grant.revoked > 0) rows.push(['Revoked', <When key="revoked" seconds={grant.revoked} />]);
  return rows;
}

export function RoomLinks({ rooms }: { rooms: readonly string[] }) {
  const known = useRooms();
  if (rooms.length === 0) return 'none';
  return rows(rooms).map(({ room, last }) => (
    <span key={room}>
      <a href={`#/rooms/${encodeURIComponent(room)}`}>
        #{known.find(other => other.id === room)?.name || room}
      </a>
      {last ? '' : ', '}
    </span>
  ));
}

function rows(rooms: readonly string[]): { room: string; last: boolean }[] {
  return rooms.map((room, index) => ({ room, last: index === rooms.length - 1 }));
}
