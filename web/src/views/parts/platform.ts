/** Modifier key of the reader's keyboard. */

/** Whether the system's key is ⌘. */
export function isMac(): boolean {
  return /mac|iphone|ipad/i.test(navigator.userAgent);
}
