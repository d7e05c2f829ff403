/** The whole page. */
import { useCallback, useEffect, useState } from 'react';
import { Trace } from '../state/trace.ts';
import { useInspector, useRoute } from './context.ts';
import { useKeys } from './keys.ts';
import { KeysDialog } from './keys-dialog.tsx';
import { Link } from './link.tsx';
import { SessionPage } from './session/session-page.tsx';
import { SessionsPage } from './sessions/sessions-page.tsx';
import { StoreBanner } from './store-banner.tsx';
import { TopBar } from './top-bar.tsx';
import './app.css';
import './icons.css';

export function App() {
  const [isKeysOpen, setKeysOpen] = useState(false);
  const openKeys = useCallback(() => setKeysOpen(true), []);
  useKeys({ '?': openKeys });
  return (
    <div className="ins-app">
      <div>
        <TopBar onKeys={openKeys} />
        <StoreBanner />
      </div>
      <CurrentPage />
      {isKeysOpen && <KeysDialog onClose={() => setKeysOpen(false)} />}
    </div>
  );
}

function CurrentPage() {
  const route = useRoute();
  switch (route.page) {
    case 'sessions':
      return <SessionsPage />;
    case 'session':
      return <OpenSession key={route.id} id={route.id} />;
    case 'unknown':
      return (
        <main className="ins-app__lost">
          <h1>There is no such page</h1>
          <Link to="">All sessions</Link>
        </main>
      );
  }
}

function OpenSession({ id }: { readonly id: string }) {
  const inspector = useInspector();
  const [trace] = useState(() => new Trace(id, inspector.api));
  useEffect(() => {
    inspector.follow(trace);
    return () => inspector.unfollow(trace);
  }, [inspector, trace]);
  return <SessionPage trace={trace} />;
}
