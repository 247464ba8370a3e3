// Cutting a tool's result to what a model can take (spec/mcp-tools.md section 4).

import type { ToolResult } from './mcp-relay.ts';

const MAX_TEXT = 64 * 1024;
const MAX_STRUCTURED = 256 * 1024;

/** Text blocks over 64 KiB are cut, structured content over 256 KiB is replaced by its size. */
export function cutResult(result: ToolResult): ToolResult {
  const content = result.content.map(block =>
    typeof block.text === 'string' ? { ...block, text: cutText(block.text) } : block,
  );
  if (result.structuredContent === undefined) return { ...result, content };
  const bytes = Buffer.byteLength(JSON.stringify(result.structuredContent));
  if (bytes <= MAX_STRUCTURED) return { ...result, content };
  return { ...result, content, structuredContent: { truncated: true, bytes } };
}

function cutText(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_TEXT) return text;
  let end = MAX_TEXT;
  // Never inside a character: its later bytes start with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.subarray(0, end).toString('utf8')}\n[truncated: ${end} of ${bytes.length} bytes]`;
}
