// Native interaction cards (seed "Tiny agent interactions", spec/interactions-and-approvals.md sections 2 and 3): the
// tags of the request and what counts as a valid answer. Pure; the caller brings the events.

import type { NostrEvent } from './event.ts';
import type { Parsed } from './reasons.ts';
import { characters, expirationOf, tagsNamed, tagValue, tagValues } from './tags.ts';

export type InteractionType = 'question' | 'approval' | 'confirmation';
export type Selection = 'single' | 'multiple' | 'text';
export type InteractionOption = { id: string; label: string };

export type Interaction = {
  type: InteractionType;
  selection: Selection;
  options: InteractionOption[];
  /** An answer in words is taken beside the options. Always false without options. */
  freeform: boolean;
  /** Who may be woken for it. */
  mentions: string[];
};

/** What a valid answer says: chosen option ids (none for words alone) and words (empty for a choice alone). */
export type InteractionAnswer = { choices: string[]; text: string };

const TYPES: readonly InteractionType[] = ['question', 'approval', 'confirmation'];
const SELECTIONS: readonly Selection[] = ['single', 'multiple', 'text'];
const MAX_OPTIONS = 12;
const MAX_ID = 64;
const MAX_LABEL = 200;
/** Longest content of an answer, and longest text in one, in characters. */
export const MAX_ANSWER = 8000;

/** True when the event claims to be a native card; then a malformed one is refused (spec/decisions.md 4). */
export function isNative(event: Pick<NostrEvent, 'tags'>): boolean {
  return tagsNamed(event, 'tinyagent').length > 0;
}

/** The card, or a refusal `invalid: interaction ...` naming the tag that is wrong. Only for native events. */
export function parseInteraction(event: Pick<NostrEvent, 'tags'>): Parsed<Interaction> {
  try {
    return { ok: true, value: interactionOf(event) };
  } catch (error) {
    if (error instanceof CardError) return { ok: false, refusal: `invalid: interaction ${error.message}` };
    throw error;
  }
}

/** Leaves parseInteraction as a refusal; nobody else sees it. */
class CardError extends Error {}

function interactionOf(event: Pick<NostrEvent, 'tags'>): Interaction {
  if (tagValue(event, 'tinyagent') !== '1') throw new CardError('tinyagent tag must be 1');
  const type = TYPES.find(name => name === tagValue(event, 'interaction'));
  if (type === undefined) throw new CardError('interaction tag must be question, approval or confirmation');
  const selection = SELECTIONS.find(name => name === tagValue(event, 'selection'));
  if (selection === undefined) throw new CardError('selection tag must be single, multiple or text');
  const options = optionsOf(event);
  const asked = tagValue(event, 'freeform') === 'true';
  if (type !== 'question' && selection !== 'single') {
    throw new CardError('selection tag must be single unless the interaction is a question');
  }
  if (type !== 'question' && asked) throw new CardError('freeform tag is allowed for a question only');
  if (selection === 'text' && options.length > 0) {
    throw new CardError('option tags are not allowed with selection text');
  }
  if (selection !== 'text' && options.length === 0) throw new CardError('needs an option tag');
  const freeform = asked && options.length > 0;
  return { type, selection, options, freeform, mentions: tagValues(event, 'mention') };
}

function optionsOf(event: Pick<NostrEvent, 'tags'>): InteractionOption[] {
  const tags = tagsNamed(event, 'option');
  if (tags.length > MAX_OPTIONS) throw new CardError(`allows at most ${MAX_OPTIONS} option tags`);
  const options: InteractionOption[] = [];
  for (const tag of tags) {
    const [, id = '', label = ''] = tag;
    if (tag.length !== 3) throw new CardError('option tag must hold an id and a label');
    if (id === '' || characters(id) > MAX_ID)
      throw new CardError(`option id must be 1 to ${MAX_ID} characters`);
    if (label === '' || characters(label) > MAX_LABEL) {
      throw new CardError(`option label must be 1 to ${MAX_LABEL} characters`);
    }
    if (options.some(option => option.id === id)) throw new CardError('option ids must differ');
    options.push({ id, label });
  }
  return options;
}

/** What the content of an answer says to the card, or null when it is no valid answer. */
export function parseAnswer(card: Interaction, content: string): InteractionAnswer | null {
  if (characters(content) > MAX_ANSWER) return null;
  const trimmed = content.trim();
  if (card.selection === 'text') return trimmed === '' ? null : { choices: [], text: content };
  // An option may have an id that starts with a brace: an exact id is that option.
  const exact = card.selection === 'single' && card.options.some(option => option.id === trimmed);
  if (exact) return { choices: [trimmed], text: '' };
  if (card.freeform && trimmed.startsWith('{')) return combinedAnswer(card, trimmed);
  return card.selection === 'multiple' ? choicesOnly(card, parseJson(trimmed)) : null;
}

function choicesOnly(card: Interaction, value: unknown): InteractionAnswer | null {
  return validChoices(card, value) ? { choices: value, text: '' } : null;
}

/** `{"text"}` or `{"choices","text"}` and no other field. */
function combinedAnswer(card: Interaction, json: string): InteractionAnswer | null {
  const value = parseJson(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { choices, text, ...others } = value as { choices?: unknown; text?: unknown };
  if (Object.keys(others).length > 0 || typeof text !== 'string' || text.trim() === '') return null;
  if (characters(text) > MAX_ANSWER) return null;
  if (!Object.hasOwn(value, 'choices')) return { choices: [], text };
  return validChoices(card, choices) ? { choices, text } : null;
}

function validChoices(card: Interaction, value: unknown): value is string[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  if (card.selection === 'single' && value.length !== 1) return false;
  const known = value.every(id => card.options.some(option => option.id === id));
  return known && new Set(value).size === value.length;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON is simply not this form of answer.
    return undefined;
  }
}

/** Content of an answer event for what a person chose and wrote, in the form the card takes. */
export function answerContent(card: Interaction, answer: InteractionAnswer): string {
  const { choices, text } = answer;
  if (card.selection === 'text') return text;
  if (text.trim() !== '') return JSON.stringify(choices.length === 0 ? { text } : { choices, text });
  return card.selection === 'single' ? (choices[0] ?? '') : JSON.stringify(choices);
}

/**
 * Whether an event is addressed as an answer to the request (section 3, all but author and content): kind 1111, in time,
 * in its room, naming request, asker and kind both as root and as parent.
 */
export function answersRequest(request: NostrEvent, event: NostrEvent): boolean {
  const expires = expirationOf(request);
  const kind = String(request.kind);
  return (
    event.kind === 1111 &&
    event.created_at >= request.created_at &&
    (expires === undefined || event.created_at < expires) &&
    tagValue(event, 'h') === tagValue(request, 'h') &&
    tagValue(event, 'e') === request.id &&
    tagValue(event, 'E') === request.id &&
    tagValue(event, 'p') === request.pubkey &&
    tagValue(event, 'P') === request.pubkey &&
    tagValue(event, 'k') === kind &&
    tagValue(event, 'K') === kind
  );
}
