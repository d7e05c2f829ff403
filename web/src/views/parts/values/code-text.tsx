/** Code in colours: plain until its language is loaded, where there is none, and where it is long. */
import { useEffect, useMemo, useState } from 'react';
import { type CodeToken, codePieces } from '../../../model/text/code-tokens.ts';
import { loadLanguage, type Tokenizer } from '../../../model/text/languages.ts';
import { VisibleText } from '../visible-text.tsx';
import './code-text.css';

/** Limit in characters of a coloured text, which is read in a few milliseconds. */
const MAX_CODE = 20_000;

export function CodeText({ text, language }: { readonly text: string; readonly language: string }) {
  const isShort = text.length <= MAX_CODE;
  const [loaded, setLoaded] = useState<{ readonly of: string; readonly tokenizer?: Tokenizer }>();
  useEffect(() => {
    if (!isShort) return;
    let isWanted = true;
    loadLanguage(language).then(
      (tokenizer) => {
        if (isWanted && tokenizer !== undefined) setLoaded({ of: language, tokenizer });
      },
      () => {},
    );
    return () => {
      isWanted = false;
    };
  }, [language, isShort]);
  const tokenizer = loaded?.of === language && isShort ? loaded.tokenizer : undefined;
  const tokens = useMemo(() => tokenizer?.(text) ?? [], [tokenizer, text]);
  return <CodePieces text={text} tokens={tokens} />;
}

interface CodePiecesProps {
  readonly text: string;
  readonly tokens: readonly CodeToken[];
  /** The part of the text to show. */
  readonly from?: number;
  readonly to?: number;
}

/** A part of a text with its tokens. */
export function CodePieces({ text, tokens, from = 0, to = text.length }: CodePiecesProps) {
  const pieces = useMemo(() => codePieces(text, tokens, from, to), [text, tokens, from, to]);
  return pieces.map(({ text: piece, kind }, at) =>
    kind === undefined ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place
      <VisibleText key={at} text={piece} />
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <span key={at} className={`ins-code--${kind}`}>
        <VisibleText text={piece} />
      </span>
    ),
  );
}
