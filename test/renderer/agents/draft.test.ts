import { expect, test } from 'vitest';
import {
  checkForm,
  emptyForm,
  folderName,
  previewDraft,
  shownProblems,
  withProgram,
} from '../../../renderer/agents/draft.ts';

const whole = {
  ...emptyForm('general'),
  name: 'Notes',
  command: 'node',
  args: ['agent.mjs'],
  cwd: '/tmp',
};

test('a whole form becomes the draft main signs', () => {
  expect(checkForm(whole)).toEqual({
    problems: null,
    draft: {
      name: 'Notes',
      program: { command: 'node', args: ['agent.mjs'], cwd: '/tmp', protocol: 'acp' },
      rooms: ['general'],
      jobs: 'both',
      kinds: [],
      rate: 60,
      days: 90,
      limits: { runMinutes: 30, promptSeconds: 600, onExpiry: 'refuse' },
    },
  });
  expect(checkForm({ ...whole, serves: false, requests: false }).draft?.jobs).toBe('none');
  expect(checkForm({ ...whole, requests: false }).draft?.jobs).toBe('serve');
});

test('every complaint is at its field before anything is signed', () => {
  const { problems } = checkForm({ ...emptyForm(undefined), rate: 700, days: '' });
  expect(problems).toMatchObject({
    name: 'Give it a name',
    'program.command': 'Name the program to run',
    'program.cwd': 'Name a folder',
    rooms: 'Choose at least one room',
    rate: 'At most 600 a minute',
    days: 'Write a number, 1 to 365',
  });
});

test('the preview fills what is empty and does not complain about it', () => {
  const preview = previewDraft({ ...emptyForm('general'), command: 'node' });
  expect(preview?.blank).toEqual(['name', 'program.cwd']);
  expect(
    shownProblems(
      { 'program.cwd': 'There is no such folder', 'rooms.0': 'No such room' },
      preview?.blank ?? [],
    ),
  ).toEqual({
    'rooms.0': 'No such room',
    rooms: 'No such room',
  });
  expect(previewDraft({ ...whole, rate: 0 })).toBeNull();
});

test('choosing a program fills it in and keeps a name that was typed', () => {
  const program = {
    id: 'demo',
    name: 'Demo agent',
    description: '',
    command: '/bin/demo',
    args: ['--acp'],
    protocol: 'acp' as const,
    source: 'shipped',
  };
  expect(withProgram(emptyForm('general'), program)).toMatchObject({
    name: 'Demo agent',
    command: '/bin/demo',
    args: ['--acp'],
  });
  expect(withProgram({ ...whole, name: 'Mine' }, program).name).toBe('Mine');
});

test('a folder is named after the agent, safely', () => {
  expect(folderName('Café  Notes!')).toBe('cafe-notes');
  expect(folderName('../..')).toBe('agent');
});
