/** Long work in slices, between which the page can paint and respond. */

/** Length of a slice: short enough that no frame is dropped. */
const SLICE_MS = 10;
/** Characters of one step: far less than a slice. */
const STEP = 64 * 1024;
/** Positions of one step, likewise. */
const STEP_PLACES = 500;

export interface SlicedWork {
  /** Process about so many more characters; true when done. */
  advance(budget: number): boolean;
  readonly done: number;
}

interface Slicing {
  readonly signal: AbortSignal;
  /** Yields to the event loop. */
  readonly pause: () => Promise<void>;
  readonly now_ms?: () => number;
  readonly onProgress?: (done: number) => void;
}

/** Run all of the work; rejects with what it throws, or with `AbortError` when aborted. */
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

/** Resolves after the other pending tasks of the page. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Work that yields between steps. */
export type Steps<T> = Generator<void, T>;

export class SteppedWork<T> implements SlicedWork {
  done = 0;
  /** Undefined until all steps are done. */
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

/** Length of the stretches that are sorted, or merged, in one step. */
const RUN = 2048;

/** `items` sorted, in steps; equal ones stay in their order. What is in order already costs least. */
export function* sortSteps<T>(
  items: readonly T[],
  compare: (one: T, other: T) => number,
): Steps<readonly T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += RUN) {
    runs.push(items.slice(from, from + RUN).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(yield* merge(runs[at] ?? [], runs[at + 1] ?? [], compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<T>(first: T[], second: T[], compare: (one: T, other: T) => number): Steps<T[]> {
  const merged: T[] = [];
  for (let one = 0, other = 0; one < first.length || other < second.length; ) {
    const isFirst =
      other >= second.length ||
      (one < first.length && compare(first[one] as T, second[other] as T) <= 0);
    merged.push((isFirst ? first[one++] : second[other++]) as T);
    if (merged.length % RUN === 0) yield;
  }
  return merged;
}

/** Run all steps without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
