/** A text that may be long: its beginning, its full length, and the rest on request. */
import { useState } from 'react';
import { clampText, plural } from '../../../model/text/format.ts';
import { VisibleText } from '../visible-text.tsx';
import { LazyMarkdown } from './lazy-markdown.tsx';
import { LongText } from './long-text.tsx';
import './clamped-text.css';
import { PARTS_TEXT, showAll } from '../../../texts.ts';

interface ClampedTextProps {
  readonly text: string;
  /** Whether it is monospaced with its white space. */
  readonly isData?: boolean;
  readonly isMarkdown?: boolean;
  /** Name of the text: "the answer". */
  readonly what?: string;
}

/** Limit of a formatted text; formatting a longer one takes too long. */
const MAX_MARKDOWN = 100_000;
/** Limit of a text in the page; a longer one scrolls in its own box. */
const MAX_OPEN = 24_000;

export function ClampedText({
  text,
  isData = false,
  isMarkdown = false,
  what = PARTS_TEXT.theText,
}: ClampedTextProps) {
  const [isOpen, setOpen] = useState(false);
  const clamped = clampText(text);
  const shown = isOpen ? text : clamped;
  return (
    <>
      {isMarkdown && shown.length <= MAX_MARKDOWN ? (
        <LazyMarkdown text={shown} />
      ) : shown.length > MAX_OPEN ? (
        <LongText text={shown} what={what} />
      ) : (
        <div className={`ins-text${isData ? ' ins-text--data' : ''}`}>
          <VisibleText text={shown} />
        </div>
      )}
      {clamped.length < text.length && (
        <button type="button" className="ins-text__more" onClick={() => setOpen(!isOpen)}>
          {isOpen ? PARTS_TEXT.showLess : showAll(plural(text.length, 'character'))}
        </button>
      )}
    </>
  );
}
