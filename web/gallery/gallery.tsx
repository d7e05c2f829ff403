/**
 * Every component in its states, for development and for screenshots. Not part of the build.
 *
 * `?case=NAME` shows one alone, without chrome; `?theme=dark` and `?width=390` say how.
 */
import { createRoot } from 'react-dom/client';
import { Inspector } from '../src/state/inspector.ts';
import { applyTheme, PreferenceStore, type Theme } from '../src/state/preferences.ts';
import { Router } from '../src/state/route.ts';
import { PageContext } from '../src/views/parts/context.ts';
import type { GalleryCase } from './case.ts';
import { galleryApi } from './service.ts';
import { SHOWN_IN } from './shown-in.ts';
import '../src/styles/tokens.css';
import '../src/styles/base.css';
import '../src/views/parts/icons.css';
import '../src/views/top-bar.css';
import './gallery.css';

const files = import.meta.glob<{ readonly cases: readonly GalleryCase[] }>('./cases/*.tsx', {
  eager: true,
});
const cases = Object.values(files).flatMap((file) => file.cases);
const parameters = new URLSearchParams(location.search);
const alone = parameters.get('case');

/** An event source that opens at once and never sends anything. */
class SilentSource extends EventTarget {
  constructor() {
    super();
    queueMicrotask(() => this.dispatchEvent(new Event('open')));
  }
  close(): void {}
}

// Each dialog lies above its own frame: a modal one would take the whole page.
HTMLDialogElement.prototype.showModal = function showModal() {
  this.show();
};

const preferences = new PreferenceStore(undefined);
const theme = applyTheme(preferences, document.documentElement, (query) => matchMedia(query));
if (parameters.has('theme')) preferences.change({ theme: parameters.get('theme') as Theme });

const inspector = new Inspector({
  api: galleryApi(),
  router: new Router(new URL('gallery.html', document.baseURI).href, window),
  preferences,
  serviceUrl: 'http://127.0.0.1:7800/',
  feed: {
    open: () => new SilentSource() as unknown as EventSource,
    locks: undefined,
    channel: undefined,
    name: 'gallery',
    tab: 'gallery',
  },
});
inspector.start();

function Case({ name, height, isPadded = false, Shown }: GalleryCase) {
  return (
    <section className={`gal-case${isPadded ? ' gal-case--padded' : ''}`} data-case={name}>
      {alone === null && (
        <h2>
          <a href={`gallery.html?case=${encodeURIComponent(name)}`}>{name}</a>
        </h2>
      )}
      <div style={{ height }}>
        <Shown />
      </div>
    </section>
  );
}

function Gallery() {
  const shown = alone === null ? cases : cases.filter(({ name }) => name === alone);
  const width = parameters.has('width') ? Number(parameters.get('width')) : undefined;
  return (
    <main className={alone === null ? 'gal' : 'gal gal--alone'} style={{ width }}>
      {shown.length === 0 && <p>There is no case “{alone}”.</p>}
      {shown.map((one) => (
        <Case key={one.name} {...one} />
      ))}
    </main>
  );
}

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root.');
// What the browser tests go through.
root.dataset['cases'] = JSON.stringify(cases.map(({ name }) => name));
root.dataset['shownIn'] = JSON.stringify(SHOWN_IN);
createRoot(root).render(
  <PageContext value={{ inspector, theme }}>
    <Gallery />
  </PageContext>,
);
