/** For what looks at every span of a session: not at each change, but a while after one. */
import { useEffect, useState } from 'react';
import type { KeyedStore } from '../../state/keyed-store.ts';

/** Grows once after changes of any row, at most once in `every_ms`. */
export function useSlowVersion<V>(store: KeyedStore<V>, every_ms: number): number {
  const [version, setVersion] = useState(store.version);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setVersion(store.version);
      }, every_ms);
    };
    later();
    const stop = store.subscribe(later);
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [store, every_ms]);
  return version;
}
