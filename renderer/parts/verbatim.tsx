// Text exactly as it is: monospace, wrapped, nothing hidden, with line numbers when it is long.

import { Fragment } from 'react';
import classes from './verbatim.module.css';
import { visiblePieces } from './visible-text.ts';

/** Inline text with hidden and direction-changing characters shown by name. */
export function Visible({ text }: { text: string }) {
  const pieces = visiblePieces(text);
  if (pieces.length === 1 && pieces[0]?.hidden === undefined) return text;
  return pieces.map((piece, index) =>
    piece.hidden === undefined ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a fixed text never move
      <Fragment key={index}>{piece.text}</Fragment>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a fixed text never move
      <span key={index} className={classes.hidden} title={`hidden character ${piece.code}`}>
        {piece.hidden}
      </span>
    ),
  );
}

/** A block of exact text. Lines are numbered from `numbersFrom` lines on. */
export function Verbatim({ text, numbersFrom = 9 }: { text: string; numbersFrom?: number }) {
  const lines = text.split('\n');
  const numbered = lines.length >= numbersFrom;
  return (
    <pre className={classes.block} data-numbered={numbered || undefined} dir="ltr">
      {numbered
        ? lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of a fixed text never move
            <span key={index} className={classes.line}>
              <Visible text={line} />
              {'\n'}
            </span>
          ))
        : lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of a fixed text never move
            <Fragment key={index}>
              {index > 0 ? '\n' : null}
              <Visible text={line} />
            </Fragment>
          ))}
    </pre>
  );
}
