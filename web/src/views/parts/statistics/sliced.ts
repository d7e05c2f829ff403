/** Sliced work of `model/`, done between frames, and again when what it counts has changed. */
import { useEffect, useState } from 'react';
import type { SpanRow } from '../../../api/types.ts';
import type { Slices } from '../../../model/statistics/statistics-forest.ts';
import type { Trace } from '../../../state/trace.ts';

const BUDGET_MS = 8;
/** Between two countings at least, and so many times what the last one took. */
const REST_MS = 400;
const REST_TIMES = 4;

/**
 * What `count` makes of the spans that are there; undefined while it works for the first time.
 * Memoise `count`: another one begins anew.
 */
export function useSliced<T>(
  trace: Trace,
  count: (rows: readonly SpanRow[]) => Slices<T>,
): T | undefined {
  const [found, setFound] = useState<T>();
  useEffect(() => {
    let stop = () => {};
    let rest: ReturnType<typeof setTimeout> | undefined;
    let [isCounting, counted] = [false, -1];
    const begin = () => {
      if (isCounting || rest !== undefined || counted === trace.spans.version) return;
      counted = trace.spans.version;
      isCounting = true;
      const begun_ms = performance.now();
      stop = run(count([...trace.spans.values()]), (value) => {
        isCounting = false;
        setFound(value);
        const took_ms = performance.now() - begun_ms;
        rest = setTimeout(
          () => {
            rest = undefined;
            begin();
          },
          Math.max(REST_MS, took_ms * REST_TIMES),
        );
      });
    };
    const unsubscribe = trace.spans.subscribe(begin);
    begin();
    return () => {
      unsubscribe();
      stop();
      clearTimeout(rest);
    };
  }, [trace, count]);
  return found;
}

/** Work until the budget of a frame is used up, then let others go first. Returns how to stop. */
function run<T>(slices: Slices<T>, done: (value: T) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const work = () => {
    const until_ms = performance.now() + BUDGET_MS;
    while (performance.now() < until_ms) {
      const step = slices.next();
      if (step.done === true) {
        done(step.value);
        return;
      }
    }
    timer = setTimeout(work);
  };
  work();
  return () => clearTimeout(timer);
}
