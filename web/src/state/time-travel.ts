/** Which instant of a session its views show: its live end, or one that the reader went to. */
import { inSlices, nextTask, SteppedWork } from '../model/slices.ts';
import type { Speed } from '../model/timeline/playback.ts';
import { Moments } from '../model/trace/instant.ts';
import { Cell } from './cell.ts';
import { PastTrace } from './past-trace.ts';
import type { Trace } from './trace.ts';

/** Time to show an instant after which the views rest as long. */
const SLOW_MS = 50;

export class TimeTravel {
  readonly live: Trace;
  /** The chosen instant, an offset; undefined: the live end. The views follow it. */
  readonly at_ns = new Cell<number | undefined>(undefined);
  /** What the views show: the trace itself, or as it was. */
  readonly shown: Cell<Trace>;
  readonly isPlaying = new Cell(false);
  /** Undefined until the reader chooses one. */
  readonly speed = new Cell<Speed | undefined>(undefined);
  private past: PastTrace | undefined;
  /** The moments of the spans of a version, and what stops reading them. */
  private read: { readonly version: number; readonly moments: Moments | undefined } | undefined;
  private reading: AbortController | undefined;
  private readonly nextFrame: (run: () => void) => void;
  private isDue = false;
  private rest_until_ms = Number.NEGATIVE_INFINITY;

  /** `nextFrame`: runs a function before the page is painted next. */
  constructor(live: Trace, nextFrame: (run: () => void) => void) {
    this.live = live;
    this.shown = new Cell(live);
    this.nextFrame = nextFrame;
  }

  /**
   * Read the moments of all spans in slices, because the reader is near: for the first instant they
   * are needed at once.
   */
  async prepare(): Promise<void> {
    const { spans } = this.live;
    const { version } = spans;
    if (this.past !== undefined || this.read?.version === version) return;
    this.reading?.abort();
    this.reading = new AbortController();
    const { signal } = this.reading;
    this.read = { version, moments: undefined };
    const work = new SteppedWork(Moments.steps([...spans.entries()]));
    try {
      await inSlices(work, { signal, pause: nextTask });
      this.read = { version, moments: work.result };
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Go to an instant; undefined: to the live end, where nothing plays on. */
  go(at_ns: number | undefined): void {
    if (at_ns === undefined) {
      this.isPlaying.set(false);
      this.at_ns.set(undefined);
      this.shown.set(this.live);
      this.past?.close();
      this.past = undefined;
      return;
    }
    this.at_ns.set(Math.round(at_ns));
    if (this.past === undefined) {
      this.reading?.abort();
      const { version } = this.live.spans;
      const moments = this.read?.version === version ? this.read.moments : undefined;
      if (moments === undefined) this.read = undefined;
      this.past = new PastTrace(this.live, Math.round(at_ns), moments);
      this.shown.set(this.past);
      return;
    }
    // A pointer moves more often than the page is painted.
    if (this.isDue) return;
    this.isDue = true;
    this.nextFrame(() => this.follow());
  }

  /** Have the views follow, with pauses in which the thumb can move where that takes long. */
  private follow(): void {
    const begun_ms = performance.now();
    if (begun_ms < this.rest_until_ms) {
      setTimeout(() => this.nextFrame(() => this.follow()), this.rest_until_ms - begun_ms);
      return;
    }
    this.isDue = false;
    const at_ns = this.at_ns.get();
    if (at_ns === undefined) return;
    this.past?.show(at_ns);
    this.nextFrame(() => {
      const painted_ms = performance.now();
      const took_ms = painted_ms - begun_ms;
      if (took_ms > SLOW_MS) this.rest_until_ms = painted_ms + took_ms;
    });
  }

  /** Go to the nearest moment at which something begins or ends; after the last, to the end. */
  step(by: 1 | -1, end_ns: number): void {
    if (this.past === undefined) this.go(end_ns);
    const next_ns = this.past?.momentBeside(this.at_ns.get() ?? end_ns, by);
    if (next_ns !== undefined) this.go(next_ns < end_ns ? next_ns : undefined);
    else if (by === 1) this.go(undefined);
  }

  close(): void {
    this.reading?.abort();
    this.go(undefined);
  }
}
