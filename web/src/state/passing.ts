/** What fails for a while: what may work later, and when it is tried again. */
import type { LoadState } from './sessions.ts';

const FIRST_MS = 2000;
const MOST_MS = 15_000;
/** Statuses of what may work later: there is no answer, or a part of the service is away. */
const PASSING = new Set([0, 503]);

/** Pause before the next try after so many that failed. */
export function pause_ms(failures: number): number {
  return Math.min(FIRST_MS * 2 ** (failures - 1), MOST_MS);
}

/** The failure, if it may pass by itself. */
export function passing(state: LoadState): LoadState | undefined {
  return state.kind === 'failed' && PASSING.has(state.status) ? state : undefined;
}
