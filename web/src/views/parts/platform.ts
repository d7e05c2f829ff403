/** Platform of the reader. */

/** Whether the modifier key of shortcuts is ⌘. */
export function isMac(): boolean {
  return /mac|iphone|ipad/i.test(navigator.userAgent);
}
