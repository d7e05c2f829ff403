/** List in which the item that is read stays in its place when it is answered. */
import { useRef } from 'react';

/** `ids`, with `pinned` in the place that it had among them. */
export function usePinned(ids: readonly string[], pinned: string | undefined): readonly string[] {
  const place = useRef(0);
  if (pinned === undefined) return ids;
  const at = ids.indexOf(pinned);
  if (at >= 0) {
    place.current = at;
    return ids;
  }
  return [...ids.slice(0, place.current), pinned, ...ids.slice(place.current)];
}
