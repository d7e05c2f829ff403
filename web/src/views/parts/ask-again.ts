/** Requests that are made again after changes. */

/** Multiple of the duration of the last request that is the pause after it. */
const REST_TIMES = 5;

interface Changing {
  readonly version: number;
  subscribe(listener: () => void): () => void;
}

/**
 * Call `ask` at once, or once `isReady`, and again after `changing` has changed: one at a time, with
 * a pause in between of at least `rest_ms`. Where it returns false, again after the pause, with
 * nothing new, too. The returned function ends it.
 */
export function askAgain(
  changing: Changing,
  rest_ms: number,
  ask: (signal: AbortSignal) => Promise<boolean>,
  isReady: () => boolean = () => true,
): () => void {
  const abort = new AbortController();
  let rest: ReturnType<typeof setTimeout> | undefined;
  let [isAsking, requested] = [false, -1];
  const request = async () => {
    if (isAsking || rest !== undefined || requested === changing.version) return;
    if (!isReady()) return;
    isAsking = true;
    requested = changing.version;
    const begun_ms = performance.now();
    const isAnswered = await ask(abort.signal);
    if (abort.signal.aborted) return;
    if (!isAnswered) requested = -1;
    isAsking = false;
    const took_ms = performance.now() - begun_ms;
    rest = setTimeout(
      () => {
        rest = undefined;
        void request();
      },
      Math.max(rest_ms, took_ms * REST_TIMES),
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
