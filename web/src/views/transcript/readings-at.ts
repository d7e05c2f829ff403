/** Readings for the instant that a session is shown at: of spans that ran then, without their end. */
import { useEffect, useMemo } from 'react';
import { readingAt } from '../../model/transcript/reading-at.ts';
import { KeyedStore } from '../../state/keyed-store.ts';
import type { Trace } from '../../state/trace.ts';
import type { Read, ReadingStores } from '../../state/transcript.ts';

/** All readings as they are, unless the session is shown at an instant. */
export function useReadingsAt(readings: ReadingStores, trace: Trace): ReadingStores {
  const past = useMemo(() => {
    if (trace.whole === trace) return undefined;
    const reads = new KeyedStore<Read>();
    const read = () => reads.commit(readsAt(readings, trace));
    read();
    return { reads, read, problem: readings.problem, states: readings.states };
  }, [readings, trace]);
  useEffect(() => {
    if (past === undefined) return;
    past.read();
    const stops = [readings.reads.subscribe(past.read), trace.at_ns.subscribe(past.read)];
    // After the rows of an instant, which are there only then.
    stops.push(trace.spans.subscribe(past.read));
    return () => {
      for (const stop of stops) stop();
    };
  }, [past, readings, trace]);
  return past ?? readings;
}

function* readsAt(
  readings: ReadingStores,
  trace: Trace,
): Generator<readonly [string, Read | undefined]> {
  const at_ns = trace.at_ns.get() ?? Number.POSITIVE_INFINITY;
  for (const key of readings.reads.keys()) {
    const read = readings.reads.get(key);
    const row = trace.spans.get(key);
    if (read === undefined || row === undefined) yield [key, undefined];
    else if (row.status !== 'running') yield [key, read];
    else yield [key, { ...read, reading: readingAt(read.reading, at_ns) }];
  }
}
