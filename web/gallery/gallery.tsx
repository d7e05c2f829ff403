/** Every component in its states, for development and for screenshots. Not part of the build. */
import { type ReactNode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { indexJson } from '../src/model/json-text.ts';
import { Inspector } from '../src/state/inspector.ts';
import { PreferenceStore, type Theme } from '../src/state/preferences.ts';
import { Router } from '../src/state/route.ts';
import { applyTheme } from '../src/state/theme.ts';
import { Trace } from '../src/state/trace.ts';
import { PageContext, useInspector } from '../src/views/context.ts';
import { NewPill } from '../src/views/new-pill.tsx';
import { InboxPage } from '../src/views/requests/inbox-page.tsx';
import { RequestCard } from '../src/views/requests/request-card.tsx';
import { SessionHeader } from '../src/views/session/session-header.tsx';
import { Waterfall } from '../src/views/session/waterfall.tsx';
import { EmptySessions } from '../src/views/sessions/empty-sessions.tsx';
import { SessionList } from '../src/views/sessions/session-list.tsx';
import { JsonTree } from '../src/views/span/json-tree.tsx';
import { Markdown } from '../src/views/span/markdown.tsx';
import { SpanPanel } from '../src/views/span/span-panel.tsx';
import { fixtureApi, HOSTILE_JSON, MARKDOWN, requests, spans } from './fixtures.ts';
import '../src/styles/tokens.css';
import '../src/styles/base.css';
import '../src/views/icons.css';
import '../src/views/top-bar.css';
import './gallery.css';

/** Opens at once, and then says nothing. */
class SilentSource extends EventTarget {
  constructor() {
    super();
    queueMicrotask(() => this.dispatchEvent(new Event('open')));
  }
  close(): void {}
}

const preferences = new PreferenceStore(undefined);
const theme = applyTheme(preferences, document.documentElement, (query) => matchMedia(query));
const chosen = new URLSearchParams(location.search).get('theme');
if (chosen !== null) preferences.change({ theme: chosen as Theme });

const inspector = new Inspector({
  api: fixtureApi,
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

interface CaseProps {
  readonly name: string;
  readonly height?: number;
  readonly isPadded?: boolean;
  readonly children: ReactNode;
}

function Case({ name, height, isPadded = false, children }: CaseProps) {
  return (
    <section className={`gal-case${isPadded ? ' gal-case--padded' : ''}`} data-case={name}>
      <h2>{name}</h2>
      <div style={height === undefined ? {} : { height }}>{children}</div>
    </section>
  );
}

/** A trace of the fixtures, loaded without a feed. */
function useTrace(id: string): Trace {
  const { api } = useInspector();
  const [trace] = useState(() => new Trace(id, api));
  useEffect(() => {
    void trace.load();
  }, [trace]);
  return trace;
}

function Gallery() {
  const trace = useTrace('waiting');
  const index = indexJson(HOSTILE_JSON);
  const key = (id: string) => `${spans[0]?.trace_id}.${id}`;
  return (
    <main className="gal">
      <Case name="session list" height={320}>
        <SessionList sessions={inspector.sessions} />
      </Case>
      <Case name="inbox" height={900}>
        <InboxPage />
      </Case>
      <Case name="requests" isPadded>
        {requests.map(({ id }) => (
          <RequestCard key={id} id={id} />
        ))}
      </Case>
      <Case name="session header">
        <SessionHeader trace={trace} />
      </Case>
      <Case name="waterfall" height={680}>
        <Waterfall trace={trace} selected={undefined} onSelect={() => {}} />
      </Case>
      <div className="gal__panels">
        {['kind-llm', 'error', 'waiting'].map((id) => (
          <Case key={id} name={`span panel, ${id}`} height={560}>
            <SpanPanel trace={trace} selected={key(id)} onClose={() => {}} />
          </Case>
        ))}
      </div>
      <div className="gal__panels">
        <Case name="markdown" isPadded>
          <Markdown text={MARKDOWN} />
        </Case>
        <Case name="json" isPadded>
          {index && <JsonTree index={index} root={0} what="the example" />}
        </Case>
        <Case name="new pill" height={60}>
          <NewPill count={12} direction="down" onClick={() => {}} />
        </Case>
      </div>
      <Case name="no session" height={520}>
        <EmptySessions />
      </Case>
    </main>
  );
}

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root.');
createRoot(root).render(
  <PageContext value={{ inspector, theme }}>
    <Gallery />
  </PageContext>,
);
