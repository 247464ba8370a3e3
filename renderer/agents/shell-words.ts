// Splits a line as a shell would into arguments, for people who paste a command. Quotes and backslashes are
// understood; nothing is expanded: `$HOME`, `~` and `*` stay as they are, since no shell runs the program.

export type ShellWords = { words: string[]; problem?: string };

/** The arguments of a line; `problem` says which quote stays open. */
export function shellWords(line: string): ShellWords {
  const words: string[] = [];
  let word: string | null = null;
  let quote: '"' | "'" | null = null;
  for (let i = 0; i < line.length; i += 1) {
    const char = line[i] as string;
    const next = line[i + 1];
    if (quote !== null) {
      if (char === quote) quote = null;
      else if (quote === '"' && char === '\\' && next !== undefined && '"\\$`'.includes(next)) {
        word = `${word ?? ''}${next}`;
        i += 1;
      } else word = `${word ?? ''}${char}`;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (char === '\\' && next !== undefined) {
      word = next === '\n' ? word : `${word ?? ''}${next}`;
      i += 1;
    } else if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = `${word ?? ''}${char}`;
  }
  if (word !== null) words.push(word);
  if (quote === null) return { words };
  return { words, problem: quote === '"' ? 'A double quote is not closed' : 'A single quote is not closed' };
}

/** One argument a line; lines are taken as they stand, empty ones are left out. */
export function wordsByLine(text: string): string[] {
  return text.split('\n').filter(line => line !== '');
}

/** The line that would split into these arguments again. */
export function shellLine(words: string[]): string {
  return words
    .map(word => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}
