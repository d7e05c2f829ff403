import { useEffect, useState } from 'react';
import { Trace } from '../src/state/trace.ts';
import { useInspector } from '../src/views/parts/context.ts';

/** A session of the fixtures, loaded without a feed. */
export function useTrace(id: string): Trace {
  const { api } = useInspector();
  const [trace] = useState(() => new Trace(id, api));
  useEffect(() => {
    void trace.load();
  }, [trace]);
  return trace;
}
