/** Text that an agent wrote, with its hidden characters made visible. */
import { memo, useMemo } from 'react';
import { formatCount } from '../../model/text/format.ts';
import {
  codePointName,
  describeHidden,
  type Piece,
  piecesOf,
} from '../../model/text/hidden-characters.ts';
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
