/**
 * Queue of updates, applied once per animation frame. A hidden tab has no frames: its queue stays
 * while it is small, then it is dropped, and the page reads its lists again when it becomes
 * visible.
 */

const MAX_HIDDEN = 5000;

interface FrameParts {
  readonly requestFrame: (callback: () => void) => unknown;
  readonly isHidden: () => boolean;
}

export class FrameQueue<T> {
  private items: T[] = [];
  private isScheduled = false;
  private hasDropped = false;
  private readonly parts: FrameParts;
  private readonly onFlush: (items: readonly T[]) => void;
  private readonly onDropped: () => void;

  constructor(parts: FrameParts, onFlush: (items: readonly T[]) => void, onDropped: () => void) {
    this.parts = parts;
    this.onFlush = onFlush;
    this.onDropped = onDropped;
  }

  push(item: T): void {
    if (this.hasDropped) return;
    this.items.push(item);
    if (this.parts.isHidden()) {
      if (this.items.length > MAX_HIDDEN) this.drop();
    } else this.schedule();
  }

  /** Call when the tab becomes visible. */
  onVisible(): void {
    if (this.hasDropped) {
      this.hasDropped = false;
      this.onDropped();
    } else if (this.items.length > 0) this.schedule();
  }

  private drop(): void {
    this.items = [];
    this.hasDropped = true;
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.parts.requestFrame(() => {
      this.isScheduled = false;
      const { items } = this;
      this.items = [];
      if (items.length > 0) this.onFlush(items);
    });
  }
}
