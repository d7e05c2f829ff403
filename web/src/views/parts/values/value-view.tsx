/** A whole value: JSON as a tree, text formatted, and either as sent. */
import { useState } from 'react';
import { SPAN_TEXT, VALUE_TEXT } from '../../../texts.ts';
import { ClampedText } from './clamped-text.tsx';
import { JsonText } from './json-tree.tsx';
import { useShownSpan } from './shown-span.ts';

type Form = 'json' | 'text' | 'markdown';

interface ValueViewProps {
  readonly text: string;
  readonly form: Form;
  /** Name of the value, for buttons: "the arguments". */
  readonly what: string;
}

export function ValueView({ text, form, what }: ValueViewProps) {
  const isRaw = useShownSpan()?.isRaw ?? false;
  const [isTurned, setTurned] = useState(false);
  // Text is data until somebody says that it is more.
  const isPlain = form === 'text' ? isRaw || !isTurned : isRaw !== isTurned;
  const other = form === 'json' ? VALUE_TEXT.tree : SPAN_TEXT.formatted;
  return (
    <>
      {isPlain ? (
        <ClampedText text={text} what={what} isData />
      ) : form === 'json' ? (
        <JsonText text={text} what={what} />
      ) : (
        <ClampedText text={text} what={what} isMarkdown />
      )}
      {text !== '' && (
        <button type="button" className="ins-payload__mode" onClick={() => setTurned(!isTurned)}>
          {isPlain ? other : SPAN_TEXT.raw}
        </button>
      )}
    </>
  );
}
