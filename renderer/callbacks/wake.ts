// What a new callback waits for: the four common cases of the seed and a filter of one's own, from form to filter. Pure.

import { type CallbackFilter, parseCallbackFilter } from '../../relay/protocol/callback-filter.ts';
import { KIND } from '../../relay/protocol/kinds.ts';

export type Wake = 'mentions' | 'answers' | 'repository' | 'pushes' | 'own';

export const WAKES: readonly { value: Wake; label: string; hint: string }[] = [
  { value: 'mentions', label: 'Mentions in a room', hint: 'Messages in one room that name somebody.' },
  {
    value: 'answers',
    label: 'Decisions and answers',
    hint: 'Requests for a decision, and answers addressed to a key.',
  },
  {
    value: 'repository',
    label: 'A repository',
    hint: 'New issues, pull requests and comments in one repository.',
  },
  { value: 'pushes', label: 'Pushes', hint: 'Pushes to the repositories of one person.' },
  {
    value: 'own',
    label: 'A filter of your own',
    hint: 'Kinds, and up to eight values each of authors, #a, #e, #p, #h.',
  },
];

export type WakeValues = {
  wake: Wake;
  room: string | null;
  /** Public key that is named, asked, or whose repository it is; null when what was typed is none. */
  who: string | null;
  repository: string;
  own: string;
};

export type Problems = Readonly<Record<string, string>>;
export type Waked = { filter: CallbackFilter; problems: null } | { filter: null; problems: Problems };

/** The filter, or what is wrong by field: `room`, `who`, `repository`, `own`. */
export function filterOf(values: WakeValues): Waked {
  if (values.wake === 'own') return ownFilter(values.own);
  const problems = problemsOf(values);
  if (Object.keys(problems).length > 0) return { filter: null, problems };
  return { filter: caseFilter(values), problems: null };
}

function problemsOf({ wake, room, who, repository }: WakeValues): Problems {
  return {
    ...(who === null ? { who: 'Choose somebody, or paste a key' } : {}),
    ...(wake === 'mentions' && room === null ? { room: 'Choose a room' } : {}),
    ...(wake === 'repository' && repository.trim() === '' ? { repository: 'Name the repository' } : {}),
  };
}

function caseFilter({ wake, room, who, repository }: WakeValues): CallbackFilter {
  const key = who ?? '';
  switch (wake) {
    case 'mentions':
      return { kinds: [KIND.chat, KIND.thread, KIND.threadReply], '#h': [room ?? ''], '#p': [key] };
    case 'answers':
      return { kinds: [KIND.reaction, KIND.chat, KIND.comment], '#p': [key] };
    case 'repository': {
      const address = `${KIND.repository}:${key}:${repository.trim()}`;
      return { kinds: [KIND.issue, KIND.pullRequest, KIND.comment], '#a': [address] };
    }
    default:
      return { kinds: [KIND.repositoryState], authors: [key] };
  }
}

function ownFilter(text: string): Waked {
  const no = (own: string): Waked => ({ filter: null, problems: { own } });
  if (text.trim() === '') return no('Write a filter, such as {"kinds": [9]}');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own words name positions that a person would have to count.
    return no('This is not JSON');
  }
  const parsed = parseCallbackFilter(value);
  if (parsed.ok) return { filter: parsed.value, problems: null };
  return no(parsed.refusal.replace('invalid: callback filter', 'The filter'));
}

/** What is wrong with the URL as far as this page can tell; the relay judges where it leads. */
export function urlProblem(text: string, targets: 'public' | 'loopback'): string | null {
  const trimmed = text.trim();
  if (trimmed === '') return 'Write the URL that is to be called';
  if (!URL.canParse(trimmed)) return 'This is not a URL';
  const { protocol } = new URL(trimmed);
  if (protocol === 'https:' || (protocol === 'http:' && targets === 'loopback')) return null;
  return 'It must start with https://';
}

/** The relay makes a secret when none is given. */
export function secretProblem(text: string): string | null {
  if (text === '' || /^[!-~]{16,128}$/.test(text)) return null;
  return 'Use 16 to 128 letters, digits and signs without spaces';
}
