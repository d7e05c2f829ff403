/** Long work in slices, between which the page can draw and be used. */

/** Short enough that the frame it falls into is not missed. */
const SLICE_MS = 10;
/** Characters of one step: far below a slice. */
const STEP = 64 * 1024;
/** Places of one step, likewise. */
const STEP_PLACES = 500;

export interface SlicedWork {
  /** Go on for about so many characters; true when done. */
  advance(budget: number): boolean;
  readonly done: number;
}

interface Slicing {
  readonly signal: AbortSignal;
  /** Let the page have a turn. */
  readonly pause: () => Promise<void>;
  readonly now_ms?: () => number;
  readonly onProgress?: (done: number) => void;
}

/** Do all of it; throws what the work throws, and `AbortError` when it is called off. */
export async function inSlices(
  work: SlicedWork,
  { signal, pause, now_ms = () => performance.now(), onProgress }: Slicing,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const until_ms = now_ms() + SLICE_MS;
    do {
      if (work.advance(STEP)) return;
    } while (now_ms() < until_ms);
    onProgress?.(work.done);
    await pause();
  }
}

/** After what else the page has to do. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Work that yields where the page can have a turn. */
export type Steps<T> = Generator<void, T>;

export class SteppedWork<T> implements SlicedWork {
  done = 0;
  /** Undefined before all is done. */
  result: T | undefined;
  private readonly steps: Steps<T>;

  constructor(steps: Steps<T>) {
    this.steps = steps;
  }

  advance(): boolean {
    const step = this.steps.next();
    if (step.done !== true) {
      this.done += 1;
      return false;
    }
    this.result = step.value;
    return true;
  }
}

/** Call `visit` with 0, 1, … below `count`, in steps. */
export function* eachPlace(count: number, visit: (place: number) => void): Steps<void> {
  for (let place = 0; place < count; place += 1) {
    if (place % STEP_PLACES === STEP_PLACES - 1) yield;
    visit(place);
  }
}

/** Do all steps without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
