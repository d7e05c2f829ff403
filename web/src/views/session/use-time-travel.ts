/** The instant that a session is shown at, which is in the address, so that a link opens it. */
import { createContext, useContext, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { TimeTravel } from '../../state/time-travel.ts';
import type { Trace } from '../../state/trace.ts';
import { useInspector, useRoute } from '../parts/context.ts';

/** Undefined where a view stands alone, and shows what it is given. */
export const TravelContext = createContext<TimeTravel | undefined>(undefined);

export function useTravel(): TimeTravel | undefined {
  return useContext(TravelContext);
}

const ADDRESS_AFTER_MS = 250;

export function useTimeTravel(trace: Trace): TimeTravel {
  const { router } = useInspector();
  const travel = useMemo(() => new TimeTravel(trace, (run) => requestAnimationFrame(run)), [trace]);
  const wanted = useRoute().query.get('at');
  /** What of it came from here, not from a link. */
  const written = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (wanted === written.current) return;
    written.current = wanted;
    travel.go(parseInstant(wanted));
  }, [travel, wanted]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const write = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const at_ns = travel.at_ns.get();
        written.current = at_ns === undefined ? null : String(at_ns);
        router.adjust({ at: written.current ?? undefined });
      }, ADDRESS_AFTER_MS);
    };
    const stop = travel.at_ns.subscribe(write);
    return () => {
      stop();
      clearTimeout(timer);
      travel.close();
      written.current = null;
    };
  }, [travel, router]);
  return travel;
}

function parseInstant(text: string | null): number | undefined {
  return /^-?\d{1,18}$/.test(text ?? '') ? Number(text) : undefined;
}
