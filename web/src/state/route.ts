/** Address of the page: every view can be reloaded, linked and gone back to. */
import { Cell } from './cell.ts';

export type Route =
  | { readonly page: 'sessions'; readonly query: URLSearchParams }
  | { readonly page: 'session'; readonly id: string; readonly query: URLSearchParams }
  | { readonly page: 'waiting'; readonly query: URLSearchParams }
  | { readonly page: 'audit'; readonly query: URLSearchParams }
  | { readonly page: 'usage'; readonly query: URLSearchParams }
  | { readonly page: 'causes'; readonly query: URLSearchParams }
  | { readonly page: 'search'; readonly query: URLSearchParams }
  | { readonly page: 'compare'; readonly query: URLSearchParams }
  | { readonly page: 'unknown'; readonly query: URLSearchParams };

const PAGES = ['waiting', 'audit', 'usage', 'causes', 'search', 'compare'] as const;

export function parseRoute(url: string, base: string): Route {
  const at = new URL(url, base);
  const query = at.searchParams;
  const path = at.pathname.slice(new URL(base).pathname.length).replace(/\/$/, '');
  if (path === '' || path === 'sessions') return { page: 'sessions', query };
  const page = PAGES.find((one) => one === path);
  if (page !== undefined) return { page, query };
  const session = /^sessions\/([^/]+)$/.exec(path);
  if (session?.[1] === undefined) return { page: 'unknown', query };
  return { page: 'session', id: decoded(session[1]), query };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Address of a session, relative to the page's base. */
export function sessionPath(id: string): string {
  return `sessions/${encodeURIComponent(id)}`;
}

/** Address of a span in its session. */
export function spanPath(sessionId: string, spanKey: string): string {
  return `${sessionPath(sessionId)}?${new URLSearchParams({ span: spanKey })}`;
}

/** In place of a span's key in the address of a session: whatever its cause is. */
export const CAUSE = 'cause';

/** Address of a page that shows the sessions of a filter: the list, what they used, or why they failed. */
export function filteredPath(
  page: 'sessions' | 'usage' | 'causes',
  filter: { readonly q?: string | undefined; readonly time?: string | undefined },
): string {
  const query = new URLSearchParams();
  if (filter.q) query.set('q', filter.q);
  if (filter.time) query.set('time', filter.time);
  return query.size === 0 ? page : `${page}?${query}`;
}

/**
 * Address of a comparison; either session may still be missing. `span`: its key in one of them;
 * `runs`: the sessions of the table that it is opened from.
 */
export function comparePath(sides: {
  readonly left?: string | undefined;
  readonly right?: string | undefined;
  readonly span?: string | undefined;
  readonly runs?: readonly string[];
}): string {
  const query = new URLSearchParams();
  for (const name of ['left', 'right', 'span'] as const) {
    const value = sides[name];
    if (value !== undefined) query.set(name, value);
  }
  for (const id of sides.runs ?? []) query.append('run', id);
  return query.size === 0 ? 'compare' : `compare?${query}`;
}

/** Limit of the sessions that the service compares at once. */
export const MOST_COMPARED = 20;

/** Address of a comparison of sessions: two beside each other, or more in a table. */
export function compareAllPath(ids: readonly string[]): string {
  const [left, right] = ids;
  if (ids.length <= 2) return comparePath({ left, right });
  return `compare?${new URLSearchParams(ids.map((id) => ['session', id]))}`;
}

export class Router {
  readonly route: Cell<Route>;
  /** Address of the list of sessions as it was left: filtered, in its order. */
  lastList = '';
  private readonly base: string;
  private readonly window: Window;

  constructor(base: string, window: Window) {
    this.base = base;
    this.window = window;
    this.route = new Cell(parseRoute(window.location.href, base));
    this.noteList();
    window.addEventListener('popstate', () => this.read());
  }

  /** Navigate to another page. */
  push(path: string): void {
    this.window.history.pushState(null, '', new URL(path, this.base));
    this.read();
  }

  replace(path: string): void {
    this.window.history.replaceState(null, '', new URL(path, this.base));
    this.read();
  }

  /**
   * Change query parameters, in place unless one is to come back to what was; undefined or the empty
   * string removes one.
   */
  adjust(values: Readonly<Record<string, string | undefined>>, isStep = false): void {
    const url = new URL(this.window.location.href);
    for (const [key, value] of Object.entries(values)) {
      if (value === undefined || value === '') url.searchParams.delete(key);
      else url.searchParams.set(key, value);
    }
    if (url.href === this.window.location.href) return;
    if (isStep) this.window.history.pushState(null, '', url);
    else this.window.history.replaceState(null, '', url);
    this.read();
  }

  private read(): void {
    this.route.set(parseRoute(this.window.location.href, this.base));
    this.noteList();
  }

  private noteList(): void {
    const { page, query } = this.route.get();
    if (page === 'sessions') this.lastList = query.size === 0 ? '' : `?${query}`;
  }
}

/** URL of the service with a trailing slash: the parent of the page's base (`…/ui/` → `…/`). */
export function serviceUrl(pageBase: string): string {
  return new URL('..', pageBase).href;
}
