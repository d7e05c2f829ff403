/** The order of the session list. */
import type { Session } from '../api/types.ts';

/** Newest first; ties by id, so that the order is total. */
export function compareNewestFirst(a: Session, b: Session): number {
  const [left, right] = [a.epoch_ns.padStart(20, '0'), b.epoch_ns.padStart(20, '0')];
  if (left !== right) return left < right ? 1 : -1;
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}
