/** Rows by key, each with its own subscribers: a changed row renders only itself. */

export type Unsubscribe = () => void;

export class KeyedStore<V> {
  private readonly rows = new Map<string, V>();
  private readonly rowListeners = new Map<string, Set<() => void>>();
  private readonly listeners = new Set<() => void>();
  /** Number of commits. */
  version = 0;

  get(key: string): V | undefined {
    return this.rows.get(key);
  }

  get size(): number {
    return this.rows.size;
  }

  values(): Iterable<V> {
    return this.rows.values();
  }

  entries(): Iterable<readonly [string, V]> {
    return this.rows.entries();
  }

  keys(): Iterable<string> {
    return this.rows.keys();
  }

  /**
   * Write each change as it comes, then notify the subscribers of each changed row once, then those
   * of the whole.
   */
  commit(changes: Iterable<readonly [string, V | undefined]>): void {
    // Few rows are listened to, those in view, and a page may bring thousands.
    const before = [...this.rowListeners].map(
      ([key, listeners]) => [key, this.rows.get(key), listeners] as const,
    );
    let isChanged = false;
    for (const [key, value] of changes) {
      if (this.rows.get(key) === value) continue;
      if (value === undefined) this.rows.delete(key);
      else this.rows.set(key, value);
      isChanged = true;
    }
    if (!isChanged) return;
    this.version += 1;
    for (const [key, value, listeners] of before) {
      if (this.rows.get(key) !== value) for (const listener of listeners) listener();
    }
    for (const listener of this.listeners) listener();
  }

  subscribeRow(key: string, listener: () => void): Unsubscribe {
    const listeners = this.rowListeners.get(key) ?? new Set();
    this.rowListeners.set(key, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.rowListeners.get(key) === listeners) {
        this.rowListeners.delete(key);
      }
    };
  }

  subscribe(listener: () => void): Unsubscribe {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
