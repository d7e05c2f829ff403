/** Sliced work of `model/`, done between frames, and again when what it counts has changed. */
import { useEffect, useRef, useState } from 'react';
import { type Statistics, statisticsOf } from '../../model/statistics.ts';
import type { Slices } from '../../model/statistics-forest.ts';
import type { Trace } from '../../state/trace.ts';

const BUDGET_MS = 8;
/** Between two countings at least, and so many times what the last one took. */
const REST_MS = 400;
const REST_TIMES = 4;

/** Statistics of the spans that are there; undefined while they are counted for the first time. */
export function useStatistics(trace: Trace): Statistics | undefined {
  const [found, setFound] = useState<Statistics>();
  const counted = useRef(-1);
  useEffect(() => {
    let stop = () => {};
    let isCounting = false;
    let rest: ReturnType<typeof setTimeout> | undefined;
    const count = () => {
      if (isCounting || rest !== undefined) return;
      if (counted.current === trace.spans.version) return;
      counted.current = trace.spans.version;
      isCounting = true;
      const begun_ms = performance.now();
      stop = run(statisticsOf([...trace.spans.values()]), (statistics) => {
        isCounting = false;
        setFound(statistics);
        const took_ms = performance.now() - begun_ms;
        rest = setTimeout(
          () => {
            rest = undefined;
            count();
          },
          Math.max(REST_MS, took_ms * REST_TIMES),
        );
      });
    };
    const unsubscribe = trace.spans.subscribe(count);
    count();
    return () => {
      unsubscribe();
      stop();
      clearTimeout(rest);
      counted.current = -1;
    };
  }, [trace]);
  return found;
}

/** Work until the budget of a frame is used up, then let others go first. Returns how to stop. */
export function run<T>(slices: Slices<T>, done: (value: T) => void): () => void {
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
