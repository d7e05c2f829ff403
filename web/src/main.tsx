/** Starts the page; the only module that composes it from the browser's globals. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { httpApi } from './api/client.ts';
import { Inspector } from './state/inspector.ts';
import { applyTheme, PreferenceStore } from './state/preferences.ts';
import { Router, serviceUrl } from './state/route.ts';
import { App } from './views/app.tsx';
import { PageContext } from './views/parts/context.ts';
import './styles/tokens.css';
import './styles/base.css';

const base = document.baseURI;
const service = serviceUrl(base);
const preferences = new PreferenceStore(localStorageOrNone());
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
  feed: {
    open: (url) => new EventSource(url),
    locks: navigator.locks,
    channel: new BroadcastChannel(feedName),
    name: feedName,
    tab: crypto.getRandomValues(new Uint32Array(2)).join('-'),
  },
});

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root.');
createRoot(root).render(
  <StrictMode>
    <PageContext value={{ inspector, theme }}>
      <App />
    </PageContext>
  </StrictMode>,
);
inspector.start();

/** The browser's storage; undefined if the browser forbids it, when reading throws. */
function localStorageOrNone(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}
