/**
 * What captures of states changed, read from the service one at a time, for those in view.
 *
 * A capture never changes, so each is read once. The service looks through the whole session for
 * each of them, so that they are not read at all in a very long one.
 */
import type { Api } from '../api/client.ts';
import type { StateReading, StateStep } from '../api/types.ts';
import { KeyedStore } from './keyed-store.ts';

export interface Capture {
  readonly trace_id: string;
  readonly span_id: string;
  readonly state: StateReading;
  /** Number of later captures of the same state on the same span. */
  readonly later: number;
  /** Unix ns of the trace's origin. */
  readonly epoch_ns: string;
}

/** Limit of captures that are remembered. */
const MAX_KNOWN = 5000;

export class StateSteps {
  /** By `captureKey`. */
  readonly steps = new KeyedStore<StateStep>();
  private readonly sessionId: string;
  private readonly api: Pick<Api, 'spanState'>;
  private readonly wanted = new Map<string, Capture>();
  private readonly closing = new AbortController();
  private isReading = false;

  constructor(sessionId: string, api: Pick<Api, 'spanState'>) {
    this.sessionId = sessionId;
    this.api = api;
  }

  /** Read a capture when it is its turn, unless it leaves the view before (call the result). */
  want(capture: Capture): () => void {
    const key = captureKey(capture);
    if (this.steps.get(key) === undefined && this.steps.size < MAX_KNOWN) {
      this.wanted.set(key, capture);
      void this.pump();
    }
    return () => this.wanted.delete(key);
  }

  close(): void {
    this.wanted.clear();
    this.closing.abort();
  }

  private async pump(): Promise<void> {
    if (this.isReading) return;
    this.isReading = true;
    for (const [key, capture] of this.wanted) {
      const step = await this.read(capture).catch(() => undefined);
      if (this.closing.signal.aborted) return;
      this.wanted.delete(key);
      // While a span runs it may be captured again meanwhile: then this is the step of another.
      if (step !== undefined && isOf(step, capture)) this.steps.commit([[key, step]]);
    }
    this.isReading = false;
  }

  /** The step; undefined: it is not among those that the service counts. */
  private async read(capture: Capture): Promise<StateStep | undefined> {
    const { trace_id, span_id, state, later } = capture;
    const { signal } = this.closing;
    const span = { session_id: this.sessionId, trace_id, span_id };
    const last = await this.api.spanState(span, { name: state.name }, signal);
    if (later === 0) return last;
    const position = last.here.at(-1 - later);
    // Of very many on one span the service names the first.
    if (position === undefined || last.here.at(-1) !== last.position) return undefined;
    return this.api.spanState(span, { name: state.name, position }, signal);
  }
}

export function captureKey({ trace_id, span_id, state }: Capture): string {
  return `${trace_id}.${span_id} ${state.offset_ns} ${state.name}`;
}

function isOf({ at }: StateStep, { state, epoch_ns }: Capture): boolean {
  const time_ns = BigInt(epoch_ns) + BigInt(Math.round(state.offset_ns));
  const [seconds = '', fraction = ''] = at.time.replace('Z', '').split('.');
  const whole_ms = Date.parse(`${seconds}Z`);
  return BigInt(whole_ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9)) === time_ns;
}
