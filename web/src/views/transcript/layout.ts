/** The entries of a transcript, which of them are folded, and the position of a span among them. */
import { useCallback, useMemo, useState } from 'react';
import { type Actor, spansOf } from '../../model/trace/actor.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import { layoutTranscript, type TranscriptLayout } from '../../model/transcript/transcript.ts';
import type { Trace } from '../../state/trace.ts';
import { useCell } from '../parts/context.ts';
import { useSlowVersion } from '../parts/slow-version.ts';

interface Folds {
  readonly layout: TranscriptLayout;
  /** Unfold (false) or fold (true) agents. */
  readonly fold: (keys: readonly string[], isFolded: boolean) => void;
  readonly foldAll: (isFolded: boolean) => void;
  readonly hasOpenCards: boolean;
}

export function useTranscriptLayout(
  trace: Trace,
  isWhole: boolean,
  actor: Actor | undefined,
): Folds {
  const structure = useCell(trace.structure);
  const changed = useSlowVersion(trace);
  const session = useCell(trace.session);
  const [byHand, setByHand] = useState<ReadonlyMap<string, boolean>>(new Map());
  const isFailed = session?.status === 'failed';
  // biome-ignore lint/correctness/useExhaustiveDependencies: these say when to read anew
  const layout = useMemo(() => {
    const { forest, spans } = trace;
    const rowOf = (key: string) => spans.get(key);
    const cause = isFailed ? trace.firstCause() : undefined;
    const only =
      actor && new Set(spansOf(forest, rowOf, actor).map((number) => forest.keyOf(number) ?? ''));
    // What a filter leaves is there to be read: nothing of it is folded at first.
    if (only !== undefined) {
      return layoutTranscript(forest, rowOf, { byHand, isWhole, only, open: only });
    }
    const laid = layoutTranscript(forest, rowOf, { byHand, isWhole });
    if (cause === undefined) return laid;
    // A failed session is open where it failed first.
    const open = new Set([...laid.above(spanKey(cause)), spanKey(cause)]);
    const hidden = laid.entries.some(({ key, isFolded }) => isFolded && open.has(key));
    return hidden ? layoutTranscript(forest, rowOf, { byHand, isWhole, open }) : laid;
  }, [trace, structure, changed, byHand, isWhole, isFailed, actor]);
  const fold = useCallback((keys: readonly string[], isFolded: boolean) => {
    setByHand((before) => new Map([...before, ...keys.map((key) => [key, isFolded] as const)]));
  }, []);
  const foldAll = useCallback(
    (isFolded: boolean) =>
      fold([...trace.spans.values()].filter(({ kind }) => kind === 'agent').map(spanKey), isFolded),
    [trace, fold],
  );
  const hasOpenCards = useMemo(
    () =>
      layout.entries.some(({ type, isCard, isFolded }) => type === 'agent' && isCard && !isFolded),
    [layout],
  );
  return { layout, fold, foldAll, hasOpenCards };
}
