/** A whole value: JSON as a tree, text formatted, and either as it was sent. */
import { useMemo, useState } from 'react';
import { indexJson, JsonScanner, JsonSizeError } from '../../../model/json/json-text.ts';
import { formatBytes } from '../../../model/text/format.ts';
import { ClampedText } from './clamped-text.tsx';
import { JsonTree } from './json-tree.tsx';
import { LongText } from './long-text.tsx';
import { useShownSpan } from './shown-span.ts';
import { useSliced } from './sliced.ts';
import { Slow } from './slow.tsx';

export type Form = 'json' | 'text' | 'markdown';

interface ValueViewProps {
  readonly text: string;
  readonly form: Form;
  /** What it is, for the names of buttons: "the arguments". */
  readonly what: string;
}

/** What is read in a few milliseconds. */
const AT_ONCE = 100_000;

export function ValueView({ text, form, what }: ValueViewProps) {
  const isRaw = useShownSpan()?.isRaw ?? false;
  const [isTurned, setTurned] = useState(false);
  // Text is data until somebody says that it is more.
  const isPlain = form === 'text' ? isRaw || !isTurned : isRaw !== isTurned;
  const other = form === 'json' ? 'as a tree' : 'formatted';
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
          {isPlain ? other : 'as it was sent'}
        </button>
      )}
    </>
  );
}

interface JsonTextProps {
  readonly text: string;
  readonly what: string;
  /** When it turns out to be none. */
  readonly isMarkdown?: boolean;
}

/** JSON text as a tree; long text is read in slices. */
export function JsonText(props: JsonTextProps) {
  return props.text.length <= AT_ONCE ? <ShortJson {...props} /> : <LongJson {...props} />;
}

function ShortJson({ text, what, isMarkdown = false }: JsonTextProps) {
  const index = useMemo(() => indexJson(text), [text]);
  return index === undefined ? (
    <ClampedText text={text} what={what} isMarkdown={isMarkdown} isData={!isMarkdown} />
  ) : (
    <JsonTree index={index} root={0} what={what} />
  );
}

function LongJson({ text, what }: JsonTextProps) {
  const make = useMemo(() => () => new JsonScanner(text), [text]);
  const [read, stop] = useSliced(make);
  switch (read.kind) {
    case 'working':
      return (
        <Slow
          what="Reading"
          done={read.done}
          all={text.length}
          amount={formatBytes(text.length)}
          onStop={stop}
        />
      );
    case 'done':
      return <JsonTree index={read.work.index} root={0} what={what} />;
    case 'stopped':
      return <LongText text={text} what={what} />;
    case 'failed':
      return (
        <>
          {read.error instanceof JsonSizeError && (
            <p className="ins-none">Too many values for a tree.</p>
          )}
          <LongText text={text} what={what} />
        </>
      );
  }
}
