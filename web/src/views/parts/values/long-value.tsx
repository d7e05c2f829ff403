/** A value that came truncated: the rest on request. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Clamped } from '../../../api/types.ts';
import { formatBytes } from '../../../model/text/format.ts';
import { PARTS_TEXT, SAVED_TEXT, VALUE_TEXT } from '../../../texts.ts';
import { useInspector } from '../context.ts';
import { ClampedText } from './clamped-text.tsx';
import { useShownSpan } from './shown-span.ts';
import { Slow } from './slow.tsx';

/** Limit of a value that is fetched without a click. */
const SMALL_BYTES = 1024 * 1024;
/** Least time between two updates of the progress. */
const REPORT_MS = 50;

type Whole =
  | { readonly kind: 'beginning'; readonly problem?: string }
  | { readonly kind: 'loading'; readonly done_bytes: number }
  | { readonly kind: 'ready'; readonly text: string };

interface LongValueProps {
  readonly cut: Clamped;
  /** Its beginning. */
  readonly beginning: string;
  readonly what: string;
  /** Renders the whole text. */
  readonly children: (text: string) => React.ReactNode;
}

export function LongValue({ cut, beginning, what, children }: LongValueProps) {
  const { whole, load, stop } = useWhole(cut);
  const { saved } = useInspector();
  if (whole.kind === 'ready') return children(whole.text);
  return (
    <>
      {whole.kind === 'loading' ? (
        <Slow
          what={PARTS_TEXT.loading}
          done={whole.done_bytes}
          all={cut.size_bytes}
          amount={VALUE_TEXT.bytesOf(whole.done_bytes, cut.size_bytes)}
          onStop={stop}
        />
      ) : (
        <p className="ins-held">
          {whole.problem !== undefined && <span role="alert">{whole.problem} </span>}
          {VALUE_TEXT.firstShown(formatBytes(beginning.length))}{' '}
          {saved === undefined ? (
            <button type="button" className="ins-held__open" onClick={load}>
              {VALUE_TEXT.loadAll(formatBytes(cut.size_bytes))}
            </button>
          ) : (
            SAVED_TEXT.missing
          )}
        </p>
      )}
      <ClampedText text={beginning} what={VALUE_TEXT.startOf(what)} isData />
    </>
  );
}

export function useWhole(cut: Clamped, small_bytes = SMALL_BYTES) {
  const { values, saved } = useInspector();
  const id = useShownSpan()?.id;
  const [whole, setWhole] = useState<Whole>(() => {
    const text = id && values.peek(id, cut);
    return text === undefined ? { kind: 'beginning' } : { kind: 'ready', text };
  });
  const loading = useRef<AbortController>(undefined);
  const load = useCallback(() => {
    if (id === undefined) return;
    loading.current?.abort();
    const calling = new AbortController();
    loading.current = calling;
    let reported_ms = 0;
    const onProgress = (done_bytes: number) => {
      const now_ms = performance.now();
      if (calling.signal.aborted || now_ms - reported_ms < REPORT_MS) return;
      reported_ms = now_ms;
      setWhole({ kind: 'loading', done_bytes });
    };
    setWhole({ kind: 'loading', done_bytes: 0 });
    values.load(id, cut, { signal: calling.signal, onProgress }).then(
      (text) => {
        if (!calling.signal.aborted) setWhole({ kind: 'ready', text });
      },
      (error: unknown) => {
        if (calling.signal.aborted) return;
        const problem = error instanceof Error ? error.message : String(error);
        setWhole({ kind: 'beginning', problem });
      },
    );
  }, [values, id, cut]);
  const stop = useCallback(() => {
    loading.current?.abort();
    setWhole({ kind: 'beginning' });
  }, []);
  // What is cut in a saved page is not in it.
  const isSmall = saved === undefined && cut.size_bytes <= small_bytes;
  const isThere = whole.kind === 'ready';
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each value
  useEffect(() => {
    if (isSmall && !isThere) load();
    return () => loading.current?.abort();
  }, [load, isSmall]);
  return { whole, load, stop };
}
