/** A list from which what is being read does not vanish when it is answered. */
import { useRef } from 'react';

/** `ids`, with `kept` in the place that it had among them. */
export function useKept(ids: readonly string[], kept: string | undefined): readonly string[] {
  const place = useRef(0);
  if (kept === undefined) return ids;
  const at = ids.indexOf(kept);
  if (at >= 0) {
    place.current = at;
    return ids;
  }
  return [...ids.slice(0, place.current), kept, ...ids.slice(place.current)];
}
