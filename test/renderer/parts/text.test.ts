import { expect, test } from 'vitest';
import type { Party } from '../../../main/contract/app.ts';
import { markdownLinks } from '../../../renderer/parts/markdown-links.ts';
import { mentionedKeys, mentionSpans } from '../../../renderer/parts/mention-spans.ts';
import { hasHidden, visiblePieces } from '../../../renderer/parts/visible-text.ts';

function party(name: string, key: string, more: Partial<Party> = {}): Party {
  return { pubkey: key.repeat(64), npub: `npub1${key}`, name, agent: false, me: false, ...more };
}

const demo = party('Demo', 'a', { agent: true });
const demoAgent = party('Demo agent', 'b', { agent: true });

test('the longest name is meant, and only where nothing goes on behind it', () => {
  const spans = mentionSpans('@Demo agent and @Demo, not @Demos or me@Demo', [demo, demoAgent]);
  expect(spans.filter(span => span.party).map(span => [span.text, span.party?.pubkey[0]])).toEqual([
    ['@Demo agent', 'b'],
    ['@Demo', 'a'],
  ]);
  expect(spans.map(span => span.text).join('')).toBe('@Demo agent and @Demo, not @Demos or me@Demo');
});

test('of two with one name the one that was picked is named', () => {
  const other = party('Demo', 'c');
  expect(mentionedKeys('@Demo hello', [demo, other], [other.pubkey])).toEqual([other.pubkey]);
  expect(mentionedKeys('nobody', [demo, other], [])).toEqual([]);
});

type Node = { type: string; value?: string; url?: string; children?: Node[] };

function linked(...children: Node[]): Node[] {
  const tree: Node = { type: 'root', children: [{ type: 'paragraph', children }] };
  markdownLinks([demo], () => demo)()(tree);
  return tree.children?.[0]?.children ?? [];
}

test('bare addresses become links without the full stop behind them, code stays as it is', () => {
  const [before, link, after] = linked({ type: 'text', value: 'see https://example.com/a. Then' });
  expect(before?.value).toBe('see ');
  expect(link?.url).toBe('https://example.com/a');
  expect(after?.value).toBe('. Then');
  const code = { type: 'inlineCode', value: '@Demo https://example.com' };
  expect(linked(code)).toEqual([code]);
});

test('names in p tags and npub references lead to the agent, damaged references stay text', () => {
  expect(linked({ type: 'text', value: '@Demo go' })[0]?.url).toBe(`#/agents/${demo.pubkey}`);
  const broken = 'nostr:npub1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq';
  expect(linked({ type: 'text', value: broken })).toEqual([{ type: 'text', value: broken }]);
});

test('D5 control, direction-changing and zero-width characters are shown by name', () => {
  const text = 'rm -rf \u202Egpj.\u202C\u200B\u0007x\u00ADy\u{E0041}\uFE0F';
  expect(visiblePieces(text)).toEqual([
    { text: 'rm -rf ' },
    { hidden: 'RLO', code: 'U+202E' },
    { text: 'gpj.' },
    { hidden: 'PDF', code: 'U+202C' },
    { hidden: 'ZWSP', code: 'U+200B' },
    { hidden: 'BEL', code: 'U+0007' },
    { text: 'x' },
    { hidden: 'SHY', code: 'U+00AD' },
    { text: 'y' },
    { hidden: 'U+E0041', code: 'U+E0041' },
    { hidden: 'U+FE0F', code: 'U+FE0F' },
  ]);
});

test('D5 ordinary text of any script, tabs and line ends are left as they are', () => {
  expect(hasHidden('naïve 日本語 عربى\n\tend')).toBe(false);
  expect(hasHidden('a\rb')).toBe(true);
  expect(hasHidden('a\u00A0b')).toBe(true);
});
