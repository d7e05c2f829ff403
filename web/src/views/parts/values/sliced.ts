/** Long work of a component, in slices, with progress and a way to stop it. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { inSlices, nextTask, type SlicedWork } from '../../../model/slices.ts';

export type Sliced<W> =
  | { readonly kind: 'working'; readonly done: number }
  | { readonly kind: 'done'; readonly work: W }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'stopped' };

const BEGUN = { kind: 'working', done: 0 } as const;

/** Do what `make` makes (memoise it), anew whenever that is another; undefined: nothing. */
export function useSliced<W extends SlicedWork>(
  make: (() => W) | undefined,
): readonly [Sliced<W>, () => void] {
  const [state, setState] = useState<{ readonly of: unknown; readonly now: Sliced<W> }>();
  const stopping = useRef<AbortController>(undefined);
  useEffect(() => {
    if (make === undefined) return;
    const tell = (now: Sliced<W>) => setState({ of: make, now });
    const calling = new AbortController();
    stopping.current = calling;
    const work = make();
    const onProgress = (done: number) => tell({ kind: 'working', done });
    inSlices(work, { signal: calling.signal, pause: nextTask, onProgress }).then(
      () => tell({ kind: 'done', work }),
      (error: unknown) => {
        if (!calling.signal.aborted) tell({ kind: 'failed', error });
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
