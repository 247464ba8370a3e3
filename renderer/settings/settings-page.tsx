// Settings: how it looks, which banners are shown and whether they really are, and where the keys lie in truth.

import { Button, Radio, Stack, Switch } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { NoticeRecord } from '../../main/contract/notices.ts';
import type { Settings } from '../../main/contract/settings.ts';
import { call, queries, useCall } from '../bridge.ts';
import { turnOnBanners, useBannerPermission } from '../frame/banners.ts';
import { FailureNote } from '../parts/failure.tsx';
import { Key } from '../parts/key.tsx';
import { useAppState } from '../parts/live.ts';
import { Facts, PageColumn, Section } from '../parts/page.tsx';
import { RowSkeletons } from '../parts/skeletons.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { Visible } from '../parts/verbatim.tsx';
import { When } from '../parts/when.tsx';
import classes from './settings.module.css';
import { CATEGORIES, outcomeWords, PERMISSION, vaultWords } from './settings-words.ts';

type Change = Partial<Pick<Settings, 'scheme' | 'notices'>>;

export function SettingsPage() {
  const settings = useCall('settings.get', {});
  const change = useMutation<Settings, Error, Change>({
    mutationFn: changed => call('settings.change', changed),
    onSuccess: next => queries.setQueryData(['settings.get', {}], next),
  });
  const shown = settings.data && { ...settings.data, ...(change.isPending ? change.variables : {}) };
  return (
    <PageColumn title="Settings">
      <FailureNote error={settings.error} onRetry={() => void settings.refetch()} />
      <FailureNote error={change.error} />
      {settings.isPending ? <RowSkeletons rows={6} /> : null}
      {shown === undefined ? null : (
        <>
          <Section title="Appearance">
            <Radio.Group
              aria-label="Colour scheme"
              value={shown.scheme}
              onChange={scheme => change.mutate({ scheme: scheme as Settings['scheme'] })}
            >
              <Stack gap="sm">
                <Radio value="auto" label="As the system" />
                <Radio value="light" label="Light" />
                <Radio value="dark" label="Dark" />
              </Stack>
            </Radio.Group>
          </Section>
          <Section title="Banners">
            <Permission />
            <Stack gap="md" mt="md">
              {CATEGORIES.map(({ category, label, description }) => (
                <Switch
                  key={category}
                  label={label}
                  description={description}
                  checked={shown.notices[category] !== false}
                  onChange={event =>
                    change.mutate({ notices: { ...shown.notices, [category]: event.currentTarget.checked } })
                  }
                />
              ))}
            </Stack>
            <TestBanner />
          </Section>
        </>
      )}
      <Keys />
      <RecentBanners />
    </PageColumn>
  );
}

function Permission() {
  const permission = useBannerPermission();
  const { state, words } = PERMISSION[permission];
  return (
    <div className={classes.row} data-permission={permission}>
      {state === null ? null : <StateMark state={state} />}
      <span className={classes.words}>{words}</span>
      {permission === 'default' ? (
        <Button size="xs" onClick={() => void turnOnBanners()}>
          Turn on banners
        </Button>
      ) : null}
    </div>
  );
}

/** Goes the very way real events go, so that what it reports is true of them (case E6). */
function TestBanner() {
  const test = useMutation<NoticeRecord, Error, void>({ mutationFn: () => call('notices.test', {}) });
  return (
    <div className={classes.test}>
      <Button variant="default" size="xs" disabled={test.isPending} onClick={() => test.mutate()}>
        {test.isPending ? 'Sending' : 'Send a test banner'}
      </Button>
      {test.data === undefined ? null : (
        <span role="status" data-outcome={test.data.outcome}>
          {outcomeWords(test.data)}
        </span>
      )}
      <FailureNote error={test.error} />
    </div>
  );
}

function Keys() {
  const state = useAppState();
  if (state === undefined) return null;
  const { vault, owner, home } = state;
  return (
    <Section title="Keys">
      <Facts
        rows={[
          ...(owner === null ? [] : [['Yours', <Key key="owner" value={owner.pubkey} />] as const]),
          [
            'Kept by',
            <span key="vault" data-vault={vault.backend}>
              {vaultWords(vault)}
              {vault.problem === undefined ? null : (
                <span className={classes.problem}>
                  <Visible text={vault.problem} />
                </span>
              )}
            </span>,
          ],
          [
            'Folder',
            <code key="home" className={classes.path}>
              {home}
            </code>,
          ],
        ]}
      />
    </Section>
  );
}

function RecentBanners() {
  const list = useCall('notices.list', {});
  const records = [...(list.data ?? [])].sort((a, b) => b.at - a.at).slice(0, 20);
  return (
    <Section title="Recent banners">
      <FailureNote error={list.error} onRetry={() => void list.refetch()} />
      {list.isSuccess && records.length === 0 ? <p className={classes.quiet}>None yet.</p> : null}
      {records.map(record => (
        <a key={`${record.tag} ${record.at}`} className={classes.record} href={record.address}>
          <span className={classes.words}>
            {record.title}
            <span className={classes.quiet}>{outcomeWords(record)}</span>
          </span>
          <span className={classes.when}>
            <When ms={record.at} />
          </span>
        </a>
      ))}
    </Section>
  );
}
