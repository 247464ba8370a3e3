// What the demo agent makes of a message: a file to write, a slow walk, or a first hello.

/** `slow`: take several visible steps before answering. `file`: what to write, after asking. */
export type DemoRequest = {
  greeting: boolean;
  slow: boolean;
  help: boolean;
  file: { name: string; text: string };
};

const MAX_NAME = 80;

/** Reads the newest message in a prompt of the runner; any other text is taken as the message itself. */
export function readRequest(prompt: string, turn: number): DemoRequest {
  const message = lastMessage(prompt);
  // Its usual name has two words; a mention of it is none of the request.
  const words = message
    .replace(/(?:nostr:)?n(?:pub|profile)1[0-9a-z]+|@demo agent\b|@[^\s,:]+/gi, ' ')
    .trim();
  const asked = /\bwrite\s+([^\s:]+)\s*:\s*([\s\S]+)$/i.exec(words);
  const name = fileName(asked?.[1] ?? '');
  return {
    greeting: turn === 1,
    slow: /\bslow(?:ly)?\b/i.test(words),
    help: /^(?:help|\?|what can you do\b)/i.test(words),
    file: {
      name: name ?? `notes/${slug(words)}.md`,
      text: name === null ? `# ${title(words)}\n\n${words || 'Hello.'}\n` : `${asked?.[2]?.trim() ?? ''}\n`,
    },
  };
}

/** The text under the last line `From <author>, message <id>:`. */
function lastMessage(prompt: string): string {
  const headings = [...prompt.matchAll(/^From [0-9a-f]{64}, message [0-9a-f]{64}:$/gm)];
  const last = headings.at(-1);
  return last === undefined ? prompt.trim() : prompt.slice(last.index + last[0].length).trim();
}

/** A relative path that stays in the working folder, or null. */
function fileName(text: string): string | null {
  const parts = text.split(/[\\/]+/);
  const plain = parts.every(part => /^[\p{L}\p{N}._ -]+$/u.test(part) && part !== '..' && part !== '.');
  return text !== '' && text.length <= MAX_NAME && plain ? parts.join('/') : null;
}

function slug(text: string): string {
  const words = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  return words || 'hello';
}

function title(text: string): string {
  const line = text.split('\n')[0]?.trim() ?? '';
  return line === '' ? 'Hello' : line.slice(0, 60);
}
