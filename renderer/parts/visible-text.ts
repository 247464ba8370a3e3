// Characters a reader would not see, or that change the order of what is read, made visible (case D5).

/** A run of plain text, or one character that must be shown by its name. */
export type Piece = { text: string; hidden?: undefined } | { hidden: string; code: string };

const NAMES: Record<number, string> = {
  0: 'NUL',
  7: 'BEL',
  8: 'BS',
  11: 'VT',
  12: 'FF',
  13: 'CR',
  27: 'ESC',
  127: 'DEL',
  133: 'NEL',
  160: 'NBSP',
  173: 'SHY',
  847: 'CGJ',
  1564: 'ALM',
  8203: 'ZWSP',
  8204: 'ZWNJ',
  8205: 'ZWJ',
  8206: 'LRM',
  8207: 'RLM',
  8232: 'LSEP',
  8233: 'PSEP',
  8234: 'LRE',
  8235: 'RLE',
  8236: 'PDF',
  8237: 'LRO',
  8238: 'RLO',
  8239: 'NNBSP',
  8288: 'WJ',
  8294: 'LRI',
  8295: 'RLI',
  8296: 'FSI',
  8297: 'PDI',
  65279: 'BOM',
};

// Controls, private use, lone surrogates, line separators, whatever is drawn as nothing, and spaces that are none.
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00A0\u2000-\u200A\u202F\u205F\u2800\u3000]/u;

/** The text in pieces: plain runs, and each hidden character by name and code point. Tabs and line ends stay plain. */
export function visiblePieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  let plain = '';
  for (const character of text) {
    if (character === '\n' || character === '\t' || !HIDDEN.test(character)) {
      plain += character;
      continue;
    }
    if (plain !== '') pieces.push({ text: plain });
    plain = '';
    const point = character.codePointAt(0) ?? 0;
    const code = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
    pieces.push({ hidden: NAMES[point] ?? code, code });
  }
  if (plain !== '') pieces.push({ text: plain });
  return pieces;
}

/** True when the text holds anything that must be made visible. */
export function hasHidden(text: string): boolean {
  return visiblePieces(text).some(piece => piece.hidden !== undefined);
}
