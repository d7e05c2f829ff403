/**
 * Addresses of the page and its service, from the `<base href>` that whoever serves the page sets.
 */

/** The service, with a slash at the end: the parent of the page's base (`…/ui/` → `…/`). */
export function serviceUrl(pageBase: string): string {
  return new URL('..', pageBase).href;
}
