// Words the relay does not carry (policy blockedWords); one between slashes is a regular expression.

import type { Policy } from '../../policy.ts';
import type { Rule } from '../rule.ts';

type Test = (text: string) => boolean;

const tests = new WeakMap<Policy, Test[]>();

export const blockedWords: Rule = ({ event }, desk) => {
  const policy = desk.policy();
  if (policy.blockedWords.length === 0) return null;
  const texts = policy.blockedWordsInTags ? [event.content, ...event.tags.flat()] : [event.content];
  const blocked = testsOf(policy).some(test => texts.some(test));
  return blocked ? 'blocked: the event holds a word this relay does not carry' : null;
};

function testsOf(policy: Policy): Test[] {
  const known = tests.get(policy);
  if (known !== undefined) return known;
  const made = policy.blockedWords.map(wordTest);
  tests.set(policy, made);
  return made;
}

function wordTest(word: string): Test {
  const pattern = /^\/(.+)\/$/.exec(word)?.[1];
  if (pattern !== undefined) {
    try {
      const expression = new RegExp(pattern, 'iu');
      return text => expression.test(text);
    } catch {
      // Not an expression after all: then it is the text itself, slashes included.
    }
  }
  const lower = word.toLowerCase();
  return text => text.toLowerCase().includes(lower);
}
