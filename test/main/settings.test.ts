import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openSettings } from '../../main/settings.ts';
import { keptLog, temporaryHome } from './quiet.ts';

test('what is changed is on disk, readable by this person only, and there at the next start', () => {
  const home = temporaryHome();
  const store = openSettings(home, keptLog().log);
  const heard: string[] = [];
  store.onChange(({ scheme }) => heard.push(scheme));
  store.change({ scheme: 'dark', readTo: { general: 12 } });
  expect(heard).toEqual(['dark']);
  expect(statSync(home.at('settings.json')).mode & 0o777).toBe(0o600);
  expect(openSettings(home, keptLog().log).get()).toMatchObject({ scheme: 'dark', readTo: { general: 12 } });
});

test('one wrong value costs that one setting', () => {
  const home = temporaryHome();
  const { log, said } = keptLog();
  const written = { version: 1, scheme: 'pink', welcomeDone: true, notices: { replies: false } };
  writeFileSync(home.at('settings.json'), JSON.stringify(written));
  const settings = openSettings(home, log).get();
  expect(settings).toMatchObject({ scheme: 'auto', welcomeDone: true });
  expect(settings.notices).toMatchObject({ replies: false, approvals: true });
  expect(said.join('')).toContain('scheme');
});

test.each(['{"version":1,', '[]', '"text"', '', '{"scheme":"dark"}'])('%j is put aside and kept', text => {
  const home = temporaryHome();
  writeFileSync(home.at('settings.json'), text);
  const store = openSettings(home, keptLog().log);
  store.change({ scheme: 'light' });
  const aside = readdirSync(home.path).find(file => file.startsWith('settings.json.unreadable-'));
  expect(readFileSync(home.at(aside ?? ''), 'utf8')).toBe(text);
  expect(openSettings(home, keptLog().log).get().scheme).toBe('light');
});

test('I13 settings of a newer version are refused and not touched', () => {
  const home = temporaryHome();
  const text = '{"version":2,"scheme":"dark","future":true}';
  writeFileSync(home.at('settings.json'), text);
  expect(() => openSettings(home, keptLog().log)).toThrow('made by a newer version');
  expect(readFileSync(home.at('settings.json'), 'utf8')).toBe(text);
  expect(readdirSync(home.path)).toEqual(['settings.json']);
});
