/**
 * Address of a page that is one file: what is shown of its session is behind the `#`, so that it
 * can be reloaded and linked; other pages are not there.
 */
export function addressInHash(page: Window, session: URL): Window {
  const here = (): URL => {
    const url = new URL(session);
    url.search = page.location.hash.slice(1);
    return url;
  };
  const move =
    (how: 'pushState' | 'replaceState') =>
    (state: unknown, _title: string, target: string | URL): void => {
      const url = new URL(target);
      if (url.pathname === session.pathname)
        page.history[how](state, '', `#${url.search.slice(1)}`);
    };
  return {
    location: {
      get href() {
        return here().href;
      },
    },
    history: { pushState: move('pushState'), replaceState: move('replaceState') },
    addEventListener: page.addEventListener.bind(page),
  } as unknown as Window;
}
