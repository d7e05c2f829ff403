/**
 * Times at which a button that grants something may be pressed: a while after it was last drawn,
 * changed or focused, and after the last other key. Accidental key presses are closer together.
 *
 * Times are in milliseconds of one clock that does not jump.
 */

export const ARM_AFTER_MS = 500;

export class Arming {
  private disturbed_ms: number;

  constructor(now_ms: number) {
    this.disturbed_ms = now_ms;
  }

  /** Start the wait again. */
  disturb(now_ms: number): void {
    this.disturbed_ms = now_ms;
  }

  isArmed(now_ms: number): boolean {
    return this.left_ms(now_ms) === 0;
  }

  left_ms(now_ms: number): number {
    return Math.max(0, this.disturbed_ms + ARM_AFTER_MS - now_ms);
  }
}
