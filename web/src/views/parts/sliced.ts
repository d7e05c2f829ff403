/** Hooks for long work in slices. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import {
  inSlices,
  nextTask,
  type SlicedWork,
  SteppedWork,
  type Steps,
} from '../../model/slices.ts';
import type { Trace } from '../../state/trace.ts';
import { useSlowVersion } from './slow-version.ts';

type Sliced<W> =
  | { readonly kind: 'working'; readonly done: number }
  | { readonly kind: 'done'; readonly work: W }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'stopped' };

const BEGUN = { kind: 'working', done: 0 } as const;

/**
 * Run the work that `make` creates (memoise it), and again for a new `make`; nothing if undefined.
 * Returns the progress, and a function to stop it.
 */
export function useSliced<W extends SlicedWork>(
  make: (() => W) | undefined,
): readonly [Sliced<W>, () => void] {
  const [state, setState] = useState<{ readonly of: unknown; readonly now: Sliced<W> }>();
  const stopping = useRef<AbortController>(undefined);
  useEffect(() => {
    if (make === undefined) return;
    const report = (now: Sliced<W>) => setState({ of: make, now });
    const calling = new AbortController();
    stopping.current = calling;
    const work = make();
    const onProgress = (done: number) => report({ kind: 'working', done });
    inSlices(work, { signal: calling.signal, pause: nextTask, onProgress }).then(
      () => report({ kind: 'done', work }),
      (error: unknown) => {
        if (!calling.signal.aborted) report({ kind: 'failed', error });
      },
    );
    return () => calling.abort();
  }, [make]);
  const stop = useCallback(() => {
    stopping.current?.abort();
    setState({ of: make, now: { kind: 'stopped' } });
  }, [make]);
  return [state !== undefined && state.of === make ? state.now : BEGUN, stop];
}

/**
 * Result of `steps` (memoise it) over the spans of a session, computed again some time after they
 * change, and continually while some run (`isGrowing`); undefined until the first one.
 */
export function useStepsOverSpans<T>(
  trace: Trace,
  steps: () => Steps<T>,
  isGrowing = false,
): T | undefined {
  const version = useSlowVersion(trace, isGrowing);
  // Work that has begun is finished before it begins anew: where it is slow, none ever would be.
  const [begun, setBegun] = useState(version);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a version says that spans changed
  const make = useMemo(() => () => new SteppedWork(steps()), [steps, begun]);
  const [sliced] = useSliced(make);
  const [last, setLast] = useState<T>();
  const result = sliced.kind === 'done' ? sliced.work.result : last;
  if (result !== last) setLast(result);
  if (sliced.kind !== 'working' && begun !== version) setBegun(version);
  return result;
}
