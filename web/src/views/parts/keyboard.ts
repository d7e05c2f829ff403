/** What the reader's keyboard is like. */

/** Whether the system's key is ⌘. */
export function isMac(): boolean {
  return /mac|iphone|ipad/i.test(navigator.userAgent);
}
