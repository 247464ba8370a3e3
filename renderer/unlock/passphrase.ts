// What a passphrase must be before main is asked (contract: 8 to 1024 characters). Pure.

/** What is wrong with it, or null. */
export function passphraseProblem(text: string): string | null {
  if (text === '') return 'Type the passphrase';
  if (text.length < 8) return 'At least 8 characters';
  return text.length > 1024 ? 'At most 1024 characters' : null;
}

/** What is wrong with its repetition, or null. */
export function secondProblem(first: string, second: string): string | null {
  if (second === '') return 'Type it a second time';
  return first === second ? null : 'The two are not the same';
}
