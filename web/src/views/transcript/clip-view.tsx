/** The beginning of a text, its full length, and the rest of it from its span, on request. */
import { useMemo, useState } from 'react';
import type { Clip, SpanDetail } from '../../api/types.ts';
import { formatBeginning } from '../../model/json/json-format.ts';
import { indexJson } from '../../model/json/json-text.ts';
import { jsonLineTokens, lineTokens } from '../../model/text/code-tokens.ts';
import { plural } from '../../model/text/format.ts';
import { isCut, wrappedText } from '../../model/transcript/transcript-text.ts';
import { PARTS_TEXT, showAll, TRANSCRIPT_TEXT } from '../../texts.ts';
import { useInspector } from '../parts/context.ts';
import { CodePieces } from '../parts/values/code-text.tsx';
import { JsonTree } from '../parts/values/json-tree.tsx';
import { LazyMarkdown } from '../parts/values/lazy-markdown.tsx';
import { VisibleText } from '../parts/visible-text.tsx';
import { useReading } from './reading-context.ts';

/** Limit of an unfolded text; a longer one is read in the span's panel. */
const MAX_INLINE = 100_000;

interface ClipViewProps {
  readonly clip: Clip;
  /** Name of the text: "the result". */
  readonly what: string;
  /** The whole text in the span. */
  readonly whole: (detail: SpanDetail) => string | undefined;
  readonly isMarkdown?: boolean;
  /** Whether to show a few lines only. */
  readonly isShort?: boolean;
}

export function ClipView({ clip, what, whole, isMarkdown = false, isShort }: ClipViewProps) {
  const { isRaw, spanKey, trace, onOpen } = useReading();
  const { details } = useInspector();
  const [rest, setRest] = useState<string | undefined>(undefined);
  const [state, setState] = useState<'idle' | 'loading' | 'failed'>('idle');
  const shown: Clip = rest === undefined ? clip : { ...clip, text: rest, chars: rest.length };
  const cut = rest === undefined && isCut(clip);
  const load = () => {
    const row = trace.whole.spans.get(spanKey);
    if (row === undefined) return;
    setState('loading');
    details.load(trace.sessionId, row, new AbortController().signal).then(
      ({ detail }) => {
        const text = whole(detail);
        setState(text === undefined ? 'failed' : 'idle');
        setRest(text);
      },
      () => setState('failed'),
    );
  };
  return (
    <div className={`ins-clip${isShort ? ' ins-clip--short' : ''}`}>
      <Text clip={shown} what={what} isRaw={isRaw} isMarkdown={isMarkdown} isShort={isShort} />
      {cut && !isShort && (
        <p className="ins-clip__more">
          {clip.chars > MAX_INLINE ? (
            <button
              type="button"
              className="ins-link"
              tabIndex={-1}
              onClick={() => onOpen(spanKey)}
            >
              {plural(clip.chars, 'character')}: {TRANSCRIPT_TEXT.openSpan}
            </button>
          ) : (
            <button type="button" className="ins-link" tabIndex={-1} onClick={load}>
              {state === 'loading'
                ? PARTS_TEXT.loading
                : state === 'failed'
                  ? TRANSCRIPT_TEXT.loadFailed
                  : showAll(plural(clip.chars, 'character'))}
            </button>
          )}
        </p>
      )}
      {clip.is_truncated && <p className="ins-clip__cut">{TRANSCRIPT_TEXT.truncated}</p>}
    </div>
  );
}

/** A text that may be an object or an array: a text in a result or an answer is often JSON again. */
const BEGINS_JSON = /^\s*[{[]/;

/** Limit in characters of a short view. */
const SHORT = 700;

function Text({
  clip,
  what,
  isRaw,
  isMarkdown,
  isShort,
}: {
  readonly clip: Clip;
  readonly what: string;
  readonly isRaw: boolean;
  readonly isMarkdown: boolean;
  readonly isShort: boolean | undefined;
}) {
  const plain = useMemo(() => (isRaw ? clip.text : wrappedText(clip)), [clip, isRaw]);
  const text = plain ?? clip.text;
  const index = useMemo(
    () => (isRaw || isCut(clip) || !BEGINS_JSON.test(text) ? undefined : indexJson(text)),
    [isRaw, clip, text],
  );
  const isBeginning = !isRaw && !isShort && isCut(clip) && BEGINS_JSON.test(text);
  const beginning = useMemo(
    () => (isBeginning ? formatBeginning(text) : undefined),
    [isBeginning, text],
  );
  if (index !== undefined) return <JsonTree index={index} root={0} what={what} isFolded />;
  if (isMarkdown && !isRaw && !isShort && beginning === undefined)
    return <LazyMarkdown text={text} />;
  const isData = isRaw || plain === undefined || beginning !== undefined || !isMarkdown;
  const shown = beginning ?? text;
  const cut = isShort ? shown.slice(0, SHORT) : shown;
  return (
    <div className={`ins-text${isData ? ' ins-text--data' : ''}`} dir="auto">
      {beginning === undefined ? (
        <VisibleText text={cut} />
      ) : (
        <CodePieces text={beginning} tokens={lineTokens(beginning, jsonLineTokens)} />
      )}
      {cut.length < shown.length && '…'}
    </div>
  );
}
