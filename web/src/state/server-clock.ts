/**
 * Clock of the service, read from its keep-alives.
 *
 * A message takes time to arrive, so each sample says "at least this much ahead of ours": the
 * largest of the recent ones is the best.
 */

const MAX_SAMPLES = 6;

export class ServerClock {
  private readonly offsets_ms: number[] = [];
  private readonly localNow_ms: () => number;
  private still_ms: number | undefined;

  constructor(localNow_ms: () => number) {
    this.localNow_ms = localNow_ms;
  }

  /** `now_ns`: the service's Unix time as a decimal string. */
  observe(now_ns: string): void {
    const server_ms = Number(BigInt(now_ns) / 1000n) / 1000;
    this.offsets_ms.push(server_ms - this.localNow_ms());
    if (this.offsets_ms.length > MAX_SAMPLES) this.offsets_ms.shift();
  }

  /** Stand still: what goes on while nothing is heard of the service is not known. */
  hold(): void {
    this.still_ms ??= this.localNow_ms();
  }

  /** Go on from the present. */
  release(): void {
    this.still_ms = undefined;
  }

  /** Our own time, or that of the last contact. */
  local_ms(): number {
    return this.still_ms ?? this.localNow_ms();
  }

  now_ms(): number {
    const ahead = this.offsets_ms.length === 0 ? 0 : Math.max(...this.offsets_ms);
    return this.local_ms() + ahead;
  }

  /** Nanoseconds from `epoch_ns` (Unix, decimal string) until now. */
  nowOffset_ns(epoch_ns: string): number {
    const epoch = BigInt(epoch_ns);
    const wholeMs = BigInt(Math.floor(this.now_ms()));
    return Number(wholeMs * 1_000_000n - epoch);
  }
}
