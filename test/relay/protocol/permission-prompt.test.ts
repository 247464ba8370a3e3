// The permission prompt: what is built is found again, byte for byte, whatever is in it.

import { expect, test } from 'vitest';
import {
  MAX_PERMISSION_INPUT,
  type PermissionAction,
  parsePermissionPrompt,
  permissionContent,
} from '../../../relay/protocol/permission-prompt.ts';

const tags = [
  ['request', 'approve'],
  ['tool', 'execute'],
  ['folder', '/home/me/work'],
];

const plain: PermissionAction = {
  why: 'Scribe asks: may it do this once?',
  title: 'Run ls',
  details: [],
  diffs: [],
  places: [],
  answers: [],
};

function roundTrip(action: PermissionAction) {
  const built = permissionContent(action);
  if (!built.ok) throw new Error(built.reason);
  return parsePermissionPrompt({ kind: 9, tags, content: built.content });
}

test('a plain client reads question, title and the whole action from top to bottom', () => {
  const built = permissionContent({ ...plain, command: 'ls -l\npwd', answers: ['Approve: Yes', 'Deny: No'] });
  expect(built).toEqual({
    ok: true,
    content:
      'Scribe asks: may it do this once?\n\nRun ls\n\nCommand (2 lines):\nls -l\npwd\n\nAnswers (2 lines):\nApprove: Yes\nDeny: No',
  });
});

test.each<[string, Partial<PermissionAction>]>([
  ['nothing but a title', {}],
  ['a command and its input', { command: 'rm -rf x', input: '{\n  "command": "rm -rf x"\n}' }],
  ['an empty input', { input: '' }],
  [
    'text that looks like headings',
    { details: ['Input (1 line):\nfoo', '', '\n\n'], input: 'Command (9 lines):' },
  ],
  ['a new file', { diffs: [{ path: '/a b/c.md', before: '', after: 'x\n', isNew: true }] }],
  [
    'changes of two files',
    {
      diffs: [
        { path: 'a', before: '', after: '', isNew: false },
        { path: 'b\n"c"', before: 'one\r\ntwo\n', after: '\u202eodd\u0000', isNew: false },
      ],
    },
  ],
  ['a title of several lines', { title: 'Run this:\nrm -rf /\n' }],
  ['places and answers', { places: ['/a:1', '/b'], answers: ['Approve: Allow', 'Deny: Reject'] }],
])('%s comes back unchanged', (_, more) => {
  const action = { ...plain, ...more };
  expect(roundTrip(action)).toMatchObject({ ...action, tool: 'execute', folder: '/home/me/work' });
});

test('D5 an action that cannot be shown whole is not built', () => {
  const long = permissionContent({ ...plain, input: 'é'.repeat(MAX_PERMISSION_INPUT / 2 + 1) });
  expect(long).toEqual({
    ok: false,
    reason: expect.stringContaining('its input has 16002 bytes, the limit is 16000'),
  });
  const wide = permissionContent({ ...plain, details: ['x'.repeat(70_000)] });
  expect(wide).toMatchObject({ ok: false });
});

test('what does not hold together is no prompt', () => {
  const built = permissionContent({ ...plain, input: 'one\ntwo' });
  const content = built.ok ? built.content : '';
  const parse = (text: string) => parsePermissionPrompt({ kind: 9, tags, content: text });
  expect(parse(content)).not.toBeNull();
  expect(parse(content.slice(0, -4))).toBeNull();
  expect(parse(`${content}\nmore`)).toBeNull();
  expect(parse(content.replace('Input', 'Other'))).toBeNull();
  expect(parse('just a message')).toBeNull();
  expect(parsePermissionPrompt({ kind: 9, tags: [], content })).toBeNull();
  expect(parsePermissionPrompt({ kind: 1111, tags, content })).toBeNull();
});
