/** Which instant of a session its views show: its live end, or one that the reader went to. */
import type { Speed } from '../model/timeline/playback.ts';
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
  private readonly nextFrame: (run: () => void) => void;
  private isDue = false;
  private rest_until_ms = Number.NEGATIVE_INFINITY;

  /** `nextFrame`: runs a function before the page is painted next. */
  constructor(live: Trace, nextFrame: (run: () => void) => void) {
    this.live = live;
    this.shown = new Cell(live);
    this.nextFrame = nextFrame;
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
      this.past = new PastTrace(this.live, Math.round(at_ns));
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
    this.go(undefined);
  }
}
