/** Starts the page; the only module that composes it from the browser's globals. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { httpApi } from './api/client.ts';
import { Build } from './state/build.ts';
import { Inspector } from './state/inspector.ts';
import { applyTheme, PreferenceStore } from './state/preferences.ts';
import { Router, serviceUrl } from './state/route.ts';
import { App } from './views/app.tsx';
import { PageContext } from './views/parts/context.ts';
import { Guarded } from './views/parts/guarded.tsx';
import { noteFailedStyles } from './views/parts/lazy-part.ts';
import './styles/tokens.css';
import './styles/base.css';

const base = document.baseURI;
const service = serviceUrl(base);
const preferences = new PreferenceStore(allowed(() => localStorage));
const theme = applyTheme(preferences, document.documentElement, (query) => matchMedia(query));
const feedName = `inspector-feed ${service}`;

const inspector = new Inspector({
  api: httpApi(
    service,
    (input, init) => fetch(input, init),
    () => preferences.get().name,
  ),
  router: new Router(base, window),
  preferences,
  serviceUrl: service,
  build: new Build({
    script: import.meta.url,
    loadPage: async () => (await fetch(base, { cache: 'no-cache' })).text(),
    memory: allowed(() => sessionStorage),
    reload: () => window.location.reload(),
  }),
  feed: {
    open: (url) => new EventSource(url),
    locks: navigator.locks,
    channel: new BroadcastChannel(feedName),
    name: feedName,
    tab: crypto.getRandomValues(new Uint32Array(2)).join('-'),
  },
});

noteFailedStyles(document);

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root.');
createRoot(root).render(
  <StrictMode>
    <PageContext value={{ inspector, theme }}>
      <Guarded>
        <App />
      </Guarded>
    </PageContext>
  </StrictMode>,
);
inspector.start();

/** A storage of the browser; undefined if the browser forbids it, when reading throws. */
function allowed(storage: () => Storage): Storage | undefined {
  try {
    return storage();
  } catch {
    return undefined;
  }
}
