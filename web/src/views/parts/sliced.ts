/** Long work of a component, in slices. */
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
 * Do what `make` makes (memoise it), anew whenever that is another; undefined: nothing. Returns how
 * far it is, and how to stop it.
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
 * What `steps` (memoise it) makes of the spans of a session, again a while after they changed, and
 * all the time while some run (`isGrowing`); undefined before it is done for the first time.
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
