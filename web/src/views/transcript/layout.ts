/** The entries of a session, what of them is folded, and where a span is among them. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { firstCause } from '../../model/span-status.ts';
import { spanKey } from '../../model/span-tree.ts';
import { layoutTranscript, type TranscriptLayout } from '../../model/transcript.ts';
import type { Trace } from '../../state/trace.ts';
import { useCell, useVersion } from '../context.ts';

export interface Folds {
  readonly layout: TranscriptLayout;
  /** Unfold (false) or fold (true) agents. */
  readonly fold: (keys: readonly string[], isFolded: boolean) => void;
  readonly foldAll: (isFolded: boolean) => void;
  readonly hasOpenCards: boolean;
}

/** From so many spans on, what only changed is looked at twice a second. */
const MANY = 4000;
const MANY_MS = 500;

export function useTranscriptLayout(trace: Trace, isWhole: boolean): Folds {
  const structure = useCell(trace.structure);
  const changed = useSlowVersion(trace);
  const session = useCell(trace.session);
  const [byHand, setByHand] = useState<ReadonlyMap<string, boolean>>(new Map());
  const isFailed = session?.status === 'failed';
  // biome-ignore lint/correctness/useExhaustiveDependencies: these say when to read anew
  const layout = useMemo(() => {
    const spans = [...trace.spans.values()];
    const cause = isFailed ? firstCause(spans) : undefined;
    const laid = layoutTranscript(spans, { byHand, isWhole });
    if (cause === undefined) return laid;
    // A failed session is open where it failed first.
    const open = new Set([...laid.above(spanKey(cause)), spanKey(cause)]);
    const hidden = laid.entries.some(({ key, isFolded }) => isFolded && open.has(key));
    return hidden ? layoutTranscript(spans, { byHand, isWhole, open }) : laid;
  }, [trace, structure, changed, byHand, isWhole, isFailed]);
  const fold = useCallback((keys: readonly string[], isFolded: boolean) => {
    setByHand((before) => new Map([...before, ...keys.map((key) => [key, isFolded] as const)]));
  }, []);
  const foldAll = (isFolded: boolean) =>
    fold([...trace.spans.values()].filter(({ kind }) => kind === 'agent').map(spanKey), isFolded);
  const hasOpenCards = layout.entries.some(
    ({ type, isCard, isFolded }) => type === 'agent' && isCard && !isFolded,
  );
  return { layout, fold, foldAll, hasOpenCards };
}

/** Grows when rows changed: with each frame that brought some, or less often when there are many. */
function useSlowVersion(trace: Trace): number {
  const version = useVersion(trace.spans);
  const [slow, setSlow] = useState(version);
  const last_ms = useRef(0);
  const isMany = trace.spans.size > MANY;
  useEffect(() => {
    if (!isMany) return;
    const wait_ms = Math.max(0, last_ms.current + MANY_MS - Date.now());
    const timer = setTimeout(() => {
      last_ms.current = Date.now();
      setSlow(version);
    }, wait_ms);
    return () => clearTimeout(timer);
  }, [version, isMany]);
  return isMany ? slow : version;
}
