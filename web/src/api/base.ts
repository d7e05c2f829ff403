/** Where the page and its service are: `<base href>` is set by whoever serves the page. */

/** The service, with a slash at the end: the parent of the page's base (`…/ui/` → `…/`). */
export function serviceUrl(pageBase: string): string {
  return new URL('..', pageBase).href;
}
