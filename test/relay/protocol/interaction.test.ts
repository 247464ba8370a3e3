import { describe, expect, test } from 'vitest';
import {
  answerContent,
  type Interaction,
  isNative,
  parseAnswer,
  parseInteraction,
} from '../../../relay/protocol/interaction.ts';

type Tags = string[][];
const options = (count: number): Tags =>
  Array.from({ length: count }, (_, n) => ['option', `c${n}`, `Choice ${n}`]);
const card = (interaction: string, selection: string, ...more: Tags): Tags => [
  ['tinyagent', '1'],
  ['interaction', interaction],
  ['selection', selection],
  ...more,
];
const free: Tags = [['freeform', 'true']];

function refusalOf(tags: Tags): string | null {
  const parsed = parseInteraction({ tags });
  return parsed.ok ? null : parsed.refusal;
}

function cardOf(tags: Tags): Interaction {
  const parsed = parseInteraction({ tags });
  if (!parsed.ok) throw new Error(parsed.refusal);
  return parsed.value;
}

describe('the combination matrix', () => {
  test.each([
    ['question', 'single', options(1), true],
    ['question', 'single', options(12), true],
    ['question', 'single', [], false],
    ['question', 'multiple', options(2), true],
    ['question', 'multiple', [], false],
    ['question', 'text', [], true],
    ['question', 'text', options(1), false],
    ['question', 'single', [...options(2), ...free], true],
    ['question', 'multiple', [...options(2), ...free], true],
    ['question', 'text', free, true],
    ['approval', 'single', options(2), true],
    ['approval', 'single', [], false],
    ['approval', 'multiple', options(2), false],
    ['approval', 'text', [], false],
    ['approval', 'single', [...options(2), ...free], false],
    ['confirmation', 'single', options(2), true],
    ['confirmation', 'multiple', options(2), false],
    ['confirmation', 'text', [], false],
    ['confirmation', 'single', [...options(2), ...free], false],
  ] as [string, string, Tags, boolean][])('%s, %s, %j', (interaction, selection, more, good) => {
    const refusal = refusalOf(card(interaction, selection, ...more));
    if (good) expect(refusal).toBeNull();
    else expect(refusal).toMatch(/^invalid: interaction .*(option|selection|freeform)/);
  });
});

describe('a malformed card is refused, naming the tag', () => {
  test.each([
    ['tinyagent not 1', [['tinyagent', '2']], /tinyagent tag/],
    ['tinyagent empty', [['tinyagent']], /tinyagent tag/],
    [
      'no interaction',
      [
        ['tinyagent', '1'],
        ['selection', 'text'],
      ],
      /interaction tag/,
    ],
    ['unknown interaction', card('poll', 'single', ...options(1)), /interaction tag/],
    [
      'no selection',
      [
        ['tinyagent', '1'],
        ['interaction', 'question'],
      ],
      /selection tag/,
    ],
    ['unknown selection', card('question', 'any', ...options(1)), /selection tag/],
    ['13 options', card('question', 'single', ...options(13)), /at most 12/],
    ['option without label', card('question', 'single', ['option', 'a']), /option tag/],
    ['option with more', card('question', 'single', ['option', 'a', 'A', 'x']), /option tag/],
    ['empty id', card('question', 'single', ['option', '', 'A']), /option id/],
    ['long id', card('question', 'single', ['option', 'i'.repeat(65), 'A']), /option id/],
    ['empty label', card('question', 'single', ['option', 'a', '']), /option label/],
    ['long label', card('question', 'single', ['option', 'a', 'l'.repeat(201)]), /option label/],
    [
      'same id twice',
      card('question', 'single', ['option', 'a', 'A'], ['option', 'a', 'B']),
      /ids must differ/,
    ],
  ] as [string, Tags, RegExp][])('%s', (_, tags, reason) => {
    expect(isNative({ tags })).toBe(true);
    const refusal = refusalOf(tags);
    expect(refusal).toMatch(/^invalid: interaction /);
    expect(refusal).toMatch(reason);
  });
});

test('lengths are counted in characters, not in bytes', () => {
  const tags = card('question', 'single', ['option', '🌱'.repeat(64), '🌱'.repeat(200)]);
  expect(refusalOf(tags)).toBeNull();
});

test('freeform counts only as the text true, and only beside options', () => {
  expect(cardOf(card('question', 'single', ...options(1), ['freeform', '1'])).freeform).toBe(false);
  expect(cardOf(card('question', 'text', ...free)).freeform).toBe(false);
});

test('mentions are who may be woken', () => {
  const tags = card('question', 'text', ['mention', 'a'], ['mention', 'b']);
  expect(cardOf(tags).mentions).toEqual(['a', 'b']);
});

const long = 'x'.repeat(8001);

describe('answers to selection=single', () => {
  const plain = cardOf(card('question', 'single', ...options(2)));
  const open = cardOf(card('question', 'single', ...options(2), ...free));
  test.each([
    ['c0', { choices: ['c0'], text: '' }],
    [' c1\n', { choices: ['c1'], text: '' }],
    ['c9', null],
    ['', null],
    ['["c0"]', null],
    ['c0 c1', null],
    ['{"text":"words"}', null],
    ['{"choices":["c0"],"text":"words"}', null],
    ['C0', null],
  ])('%j without freeform', (content, expected) => {
    expect(parseAnswer(plain, content)).toEqual(expected);
  });
  test.each([
    ['c0', { choices: ['c0'], text: '' }],
    ['{"text":"words"}', { choices: [], text: 'words' }],
    ['{"choices":["c0"],"text":"The run needs review."}', { choices: ['c0'], text: 'The run needs review.' }],
    ['{"choices":[],"text":"words"}', null],
    ['{"choices":["c0","c1"],"text":"words"}', null],
    ['{"choices":["c9"],"text":"words"}', null],
    ['{"choices":"c0","text":"words"}', null],
    ['{"choices":null,"text":"words"}', null],
    ['{"choices":["c0"]}', null],
    ['{"choices":["c0"],"text":" "}', null],
    ['{"text":""}', null],
    ['{"text":5}', null],
    ['{"text":"words","more":1}', null],
    ['{"text":"words"', null],
    ['words', null],
    ['null', null],
    [JSON.stringify({ text: long }), null],
  ])('%j with freeform', (content, expected) => {
    expect(parseAnswer(open, content)).toEqual(expected);
  });
});

describe('answers to selection=multiple', () => {
  const plain = cardOf(card('question', 'multiple', ...options(3)));
  const open = cardOf(card('question', 'multiple', ...options(3), ...free));
  test.each([
    ['["c0"]', { choices: ['c0'], text: '' }],
    ['["c2","c0"]', { choices: ['c2', 'c0'], text: '' }],
    [' ["c0"] ', { choices: ['c0'], text: '' }],
    ['[]', null],
    ['["c0","c0"]', null],
    ['["c9"]', null],
    ['[0]', null],
    ['c0', null],
    ['"c0"', null],
    ['{"text":"words"}', null],
  ])('%j without freeform', (content, expected) => {
    expect(parseAnswer(plain, content)).toEqual(expected);
  });
  test.each([
    ['["c0","c1"]', { choices: ['c0', 'c1'], text: '' }],
    ['{"text":"words"}', { choices: [], text: 'words' }],
    ['{"choices":["c0","c2"],"text":"both"}', { choices: ['c0', 'c2'], text: 'both' }],
    ['{"choices":["c0","c0"],"text":"both"}', null],
    ['{"choices":[],"text":"both"}', null],
  ])('%j with freeform', (content, expected) => {
    expect(parseAnswer(open, content)).toEqual(expected);
  });
});

describe('answers to selection=text', () => {
  const plain = cardOf(card('question', 'text'));
  test.each([
    ['words', { choices: [], text: 'words' }],
    ['{"text":"kept as it is"}', { choices: [], text: '{"text":"kept as it is"}' }],
    [' \n', null],
    ['', null],
    ['x'.repeat(8000), { choices: [], text: 'x'.repeat(8000) }],
    ['🌱'.repeat(8000), { choices: [], text: '🌱'.repeat(8000) }],
    [long, null],
  ])('%j', (content, expected) => {
    expect(parseAnswer(plain, content)).toEqual(expected);
  });
});

test('an option whose id looks like an object is still that option', () => {
  const odd = cardOf(card('question', 'single', ['option', '{"text":"x"}', 'Odd'], ...free));
  expect(parseAnswer(odd, '{"text":"x"}')).toEqual({ choices: ['{"text":"x"}'], text: '' });
});

test('what is written for a choice is read back as that choice', () => {
  const cards = [
    cardOf(card('question', 'single', ...options(3), ...free)),
    cardOf(card('question', 'multiple', ...options(3), ...free)),
    cardOf(card('question', 'text')),
  ];
  for (const one of cards) {
    const answers = [
      { choices: one.selection === 'text' ? [] : ['c1'], text: '' },
      { choices: [], text: 'words' },
      { choices: one.selection === 'text' ? [] : ['c1'], text: 'and words' },
    ].filter(({ choices, text }) => choices.length > 0 || text !== '');
    for (const given of answers) expect(parseAnswer(one, answerContent(one, given))).toEqual(given);
  }
});
