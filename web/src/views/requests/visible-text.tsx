/** Text that an agent wrote, with everything in it that is not seen made visible. */
import { memo, useMemo, useState } from 'react';
import { formatCount, groupThousands } from '../../model/format.ts';
import {
  codePointName,
  describeHidden,
  type Piece,
  piecesOf,
} from '../../model/hidden-characters.ts';
import { partsOf } from '../../model/text-parts.ts';
import { CopyButton } from '../copy-button.tsx';
import './visible-text.css';

export const VisibleText = memo(function VisibleText({ text }: { readonly text: string }) {
  const pieces = useMemo(() => piecesOf(text), [text]);
  return (
    <>
      {pieces.map((piece, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place
        <ShownPiece key={at} piece={piece} />
      ))}
    </>
  );
});

function ShownPiece({ piece }: { readonly piece: Piece }) {
  switch (piece.kind) {
    case 'plain':
      return piece.text;
    case 'rtl':
      return <bdi>{piece.text}</bdi>;
    case 'hidden': {
      const name = codePointName(piece.code);
      return (
        <span className="ins-hidden-char" title={`${name} ${describeHidden(piece.code)}`}>
          {name}
          {piece.count > 1 && ` × ${formatCount(piece.count)}`}
        </span>
      );
    }
  }
}

interface DataFrameProps {
  readonly text: string;
  /** What it is: "the arguments". */
  readonly what: string;
}

/** Shown at first without a click. */
const FIRST_CHARACTERS = 6000;
const FIRST_LINES = 60;

/**
 * Data in a frame that it cannot leave: monospaced, wrapped, left to right. A long one is shown in
 * parts; nothing is left out, and its length is said.
 */
export function DataFrame({ text, what }: DataFrameProps) {
  const first = useMemo(() => partsOf(text, FIRST_CHARACTERS)[0]?.to ?? 0, [text]);
  const lines = useMemo(() => endOfLines(text, FIRST_LINES), [text]);
  const beginning = Math.min(first, lines);
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const parts = useMemo(() => (isOpen ? partsOf(text) : []), [text, isOpen]);
  const part = parts[Math.min(at, parts.length - 1)];
  const shown = part === undefined ? text.slice(0, beginning) : text.slice(part.from, part.to);
  return (
    <div className="ins-data">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <pre dir="ltr" className="ins-data__text" role="group" tabIndex={0} aria-label={what}>
        <VisibleText text={shown} />
      </pre>
      <footer className="ins-data__foot">
        <span>{groupThousands(text.length)} characters</span>
        {beginning < text.length && (
          <button type="button" className="ins-link" onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Show the beginning only' : `Show all ${groupThousands(text.length)}`}
          </button>
        )}
        {parts.length > 1 && (
          <span className="ins-data__parts">
            <button
              type="button"
              className="ins-link"
              disabled={at === 0}
              onClick={() => setAt(at - 1)}
            >
              Back
            </button>
            part {at + 1} of {parts.length}
            <button
              type="button"
              className="ins-link"
              disabled={at >= parts.length - 1}
              onClick={() => setAt(at + 1)}
            >
              Next
            </button>
          </span>
        )}
        <CopyButton text={text} what={what} />
      </footer>
    </div>
  );
}

/** Index after the n-th line, or the whole length. */
function endOfLines(text: string, count: number): number {
  let at = -1;
  for (let line = 0; line < count; line += 1) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) return text.length;
  }
  return at;
}
