/** An answer that still comes, and the pauses within it. */
import type { SpanRow, TextSoFar } from '../../api/types.ts';
import { formatDuration, formatRunning } from '../../model/text/format.ts';
import { stallOf } from '../../model/trace/span-status.ts';
import type { Trace } from '../../state/trace.ts';
import { TRANSCRIPT_TEXT } from '../../texts.ts';
import { useTraceNow } from './context.ts';
import { LazyMarkdown } from './values/lazy-markdown.tsx';
import { VisibleText } from './visible-text.tsx';

const LOOK_MS = 500;

interface SoFarProps {
  readonly soFar: TextSoFar | null | undefined;
  readonly isRaw: boolean;
}

/**
 * The text of an answer as far as it came. What is read of the span once it has ended replaces it:
 * the end of its row comes before, and would leave a hole that everything below falls into.
 */
export function SoFar({ soFar, isRaw }: SoFarProps) {
  if (soFar == null) return null;
  // The last word is held back, so a few characters are always missing at the end.
  const isBeginningCut = soFar.chars > soFar.text.length * 1.5 + UNFINISHED_CHARS;
  return (
    <div className="ins-so-far">
      {isBeginningCut && <p className="ins-none">{TRANSCRIPT_TEXT.onlyTheEnd(soFar.chars)}</p>}
      {isRaw ? (
        <div className="ins-text ins-text--data" dir="auto">
          <VisibleText text={soFar.text} />
        </div>
      ) : (
        <LazyMarkdown text={soFar.text} />
      )}
    </div>
  );
}

const UNFINISHED_CHARS = 1300;

/** Pause of more than 3 s within a streamed answer: the longest, or the present one. */
export function Stall({ row, trace }: { readonly row: SpanRow; readonly trace: Trace }) {
  const isRunning =
    row.status === 'running' && row.stall_start_ns !== null && row.stall_ns === null;
  const now_ns = useTraceNow(trace, isRunning ? LOOK_MS : undefined);
  const stall = stallOf(row, now_ns);
  if (stall === undefined) return null;
  const took_ns = stall.end_ns - stall.start_ns;
  return (
    <span className="ins-tx__tag ins-tx__tag--stall">
      {TRANSCRIPT_TEXT.stalls((isRunning ? formatRunning : formatDuration)(took_ns))}
    </span>
  );
}
