/** The whole page. */
import { useCallback, useEffect, useMemo, useState } from 'react';
import { EVERYWHERE } from '../state/actions.ts';
import { Trace } from '../state/trace.ts';
import { useActionKeys, useActions } from './actions.ts';
import { AuditPage } from './audit/audit-page.tsx';
import { useInspector, useRoute } from './context.ts';
import { KeysDialog } from './keys-dialog.tsx';
import { Link } from './link.tsx';
import { focusAnswer } from './requests/focus-answer.ts';
import { InboxPage } from './requests/inbox-page.tsx';
import { useNotices } from './requests/notices.ts';
import { SessionPage } from './session/session-page.tsx';
import { SessionsPage } from './sessions/sessions-page.tsx';
import { StoreBanner } from './store-banner.tsx';
import { TopBar } from './top-bar.tsx';
import './app.css';
import './icons.css';

export function App() {
  const [isKeysOpen, setKeysOpen] = useState(false);
  const openKeys = useCallback(() => setKeysOpen(true), []);
  const { router } = useInspector();
  const actions = useMemo(
    () => [
      { name: 'Sessions', keys: ['g s'], run: () => router.push('') },
      { name: 'What waits for a person', keys: ['g w'], run: () => router.push('waiting') },
      { name: 'Audit log', keys: ['g a'], run: () => router.push('audit') },
      { name: 'To the button that answers', keys: ['a'], run: focusAnswer },
      { name: 'All keys', keys: ['?'], run: openKeys },
    ],
    [router, openKeys],
  );
  useActions(EVERYWHERE, actions);
  useActionKeys();
  useNotices();
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
    case 'waiting':
      return <InboxPage />;
    case 'audit':
      return <AuditPage />;
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
