/** A text that may be long: its beginning, its true length, and the rest on request. */
import { useState } from 'react';
import { clampText } from '../../model/clamp.ts';
import { groupThousands } from '../../model/format.ts';
import { Markdown } from './markdown.tsx';
import './clamped-text.css';

interface ClampedTextProps {
  readonly text: string;
  /** Monospaced, with its spaces. */
  readonly isData?: boolean;
  readonly isMarkdown?: boolean;
}

export function ClampedText({ text, isData = false, isMarkdown = false }: ClampedTextProps) {
  const [isOpen, setOpen] = useState(false);
  const clamped = clampText(text);
  const shown = isOpen ? text : clamped;
  return (
    <>
      {isMarkdown ? (
        <Markdown text={shown} />
      ) : (
        <div className={`ins-text${isData ? ' ins-text--data' : ''}`}>{shown}</div>
      )}
      {clamped.length < text.length && (
        <button type="button" className="ins-text__more" onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show less' : `Show all ${groupThousands(text.length)} characters`}
        </button>
      )}
    </>
  );
}
