/** Requests that are made again after changes. */
import { pause_ms } from '../../state/passing.ts';

/** Multiple of the duration of the last request that is the pause after it. */
const REST_TIMES = 5;

interface Changing {
  readonly version: number;
  subscribe(listener: () => void): () => void;
}

/**
 * Call `ask` at once, or once `isReady`, and again after `changing` has changed: one at a time, with
 * a pause in between of at least `rest_ms`. Where it returns false, again after the pause, with
 * nothing new, too; where it `failed`, after pauses that grow. The returned function ends it.
 */
export function askAgain(
  changing: Changing,
  rest_ms: number,
  ask: (signal: AbortSignal) => Promise<boolean | 'failed'>,
  isReady: () => boolean = () => true,
): () => void {
  const abort = new AbortController();
  let rest: ReturnType<typeof setTimeout> | undefined;
  let [isAsking, requested, failures] = [false, -1, 0];
  const request = async () => {
    if (isAsking || rest !== undefined || requested === changing.version) return;
    if (!isReady()) return;
    isAsking = true;
    requested = changing.version;
    const begun_ms = performance.now();
    const result = await ask(abort.signal);
    if (abort.signal.aborted) return;
    if (result !== true) requested = -1;
    isAsking = false;
    failures = result === 'failed' ? failures + 1 : 0;
    const least_ms = failures > 0 ? Math.max(rest_ms, pause_ms(failures)) : rest_ms;
    const took_ms = performance.now() - begun_ms;
    rest = setTimeout(
      () => {
        rest = undefined;
        void request();
      },
      Math.max(least_ms, took_ms * REST_TIMES),
    );
  };
  const unsubscribe = changing.subscribe(() => void request());
  void request();
  return () => {
    unsubscribe();
    abort.abort();
    clearTimeout(rest);
  };
}
