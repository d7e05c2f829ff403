/** The whole page. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { quoted } from '../model/text/format.ts';
import { EVERYWHERE } from '../state/actions.ts';
import { compareAllPath, MOST_COMPARED, type Route } from '../state/route.ts';
import { Trace } from '../state/trace.ts';
import { ACTION_TEXT, CAUSE_TEXT, PAGE_NAMES, SHELL_TEXT, STORE_TEXT } from '../texts.ts';
import { useActionKeys, useActions } from './parts/actions.ts';
import { useCell, useInspector, useRoute } from './parts/context.ts';
import { Guarded } from './parts/guarded.tsx';
import { lazyPart, loadAllParts } from './parts/lazy-part.ts';
import { Link } from './parts/link.tsx';
import { walkRows } from './parts/list-focus.ts';
import { Tips } from './parts/popups/tips.tsx';
import { useNotices } from './parts/requests/notices.ts';
import { focusAnswer } from './parts/requests/request-card.tsx';
import { When } from './parts/times.tsx';
import { SessionPage } from './session/session-page.tsx';
import { DropTarget } from './sessions/file-drop.tsx';
import { SessionsPage } from './sessions/sessions-page.tsx';
import { TopBar } from './top-bar.tsx';
import './app.css';
import './parts/icons.css';
import './store-banner.css';

const KeysDialog = lazyPart(async () => (await import('./keys-dialog.tsx')).KeysDialog);
const Palette = lazyPart(async () => (await import('./palette/palette.tsx')).Palette);
const SearchPage = lazyPart(async () => (await import('./search/search-page.tsx')).SearchPage);
const InboxPage = lazyPart(async () => (await import('./requests/inbox-page.tsx')).InboxPage);
const AuditPage = lazyPart(async () => (await import('./audit/audit-page.tsx')).AuditPage);
const UsagePage = lazyPart(async () => (await import('./usage/usage-page.tsx')).UsagePage);
const ComparePage = lazyPart(async () => (await import('./compare/compare-page.tsx')).ComparePage);
const CausesPage = lazyPart(async () => (await import('./causes/causes-page.tsx')).CausesPage);

/** Dialogs above the page, at most one at a time. */
type Dialog = 'keys' | 'palette' | 'selection';

export function App() {
  const [dialog, setDialog] = useState<Dialog>();
  const close = useCallback(() => setDialog(undefined), []);
  const openKeys = useCallback(() => setDialog('keys'), []);
  const openPalette = useCallback(() => setDialog('palette'), []);
  const page = useRef<HTMLDivElement>(null);
  const [typed] = useState<Typed>(() => ({ current: '', isEntered: false }));
  useAppActions(setDialog, page);
  useActionKeys();
  useNotices();
  usePartsSoon();
  return (
    <div className="ins-app">
      <div>
        <button type="button" className="ins-skip" onClick={() => toPage(page.current)}>
          {SHELL_TEXT.skip}
        </button>
        <TopBar onKeys={openKeys} onPalette={openPalette} />
        <StoreBanner />
      </div>
      <div ref={page} className="ins-app__page" tabIndex={-1}>
        <CurrentPage />
      </div>
      <DropTarget />
      <Tips />
      {dialog !== undefined && (
        <div className="ins-app__dialog">
          {dialog === 'keys' ? (
            <Guarded key={dialog} name={SHELL_TEXT.keys} loading={null} onClose={close}>
              <KeysDialog onClose={close} />
            </Guarded>
          ) : (
            <Guarded
              key={dialog}
              name={SHELL_TEXT.palette}
              loading={<EarlyKeys typed={typed} onClose={close} />}
              onClose={close}
            >
              <Palette typed={typed} isSelectionOnly={dialog === 'selection'} onClose={close} />
            </Guarded>
          )}
        </div>
      )}
    </div>
  );
}

/** What was typed, and whether with Enter after it. */
interface Typed {
  current: string;
  isEntered: boolean;
}

interface EarlyKeysProps {
  readonly typed: Typed;
  readonly onClose: () => void;
}

/** A field that has what is typed before the palette is loaded. */
function EarlyKeys({ typed, onClose }: EarlyKeysProps) {
  const receive = useCallback(
    (field: HTMLInputElement) => {
      const before = document.activeElement;
      typed.current = '';
      typed.isEntered = false;
      field.focus();
      // The palette gives the focus back to it, too.
      return () => {
        if (before instanceof HTMLElement) before.focus();
      };
    },
    [typed],
  );
  return (
    <input
      ref={receive}
      className="ins-hidden"
      aria-label={SHELL_TEXT.palette}
      onChange={(event) => {
        typed.current = event.target.value;
        typed.isEntered = false;
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
        else if (event.key === 'Enter') typed.isEntered = true;
      }}
    />
  );
}

function toPage(page: HTMLElement | null): void {
  page?.focus({ preventScroll: true });
}

function useAppActions(
  setDialog: (next: (dialog: Dialog | undefined) => Dialog | undefined) => void,
  page: { readonly current: HTMLElement | null },
): void {
  const { router, preferences, selection, sessions } = useInspector();
  const actions = useMemo(() => {
    const compareSelected = () => {
      const chosen = router.route.get().page === 'sessions' ? [...selection.ids.get()] : [];
      const isOther = chosen.length < 2 || chosen.length > MOST_COMPARED;
      router.push(isOther ? 'compare' : compareAllPath(sessions.oldestFirst(chosen)));
    };
    const toggle = (one: Dialog) => () => setDialog((open) => (open === one ? undefined : one));
    return [
      { name: PAGE_NAMES.sessions, keys: ['g s'], run: () => router.push('') },
      { name: PAGE_NAMES.waiting, keys: ['g w'], run: () => router.push('waiting') },
      { name: ACTION_TEXT.search, keys: ['g f'], run: () => router.push('search') },
      { name: ACTION_TEXT.compare, keys: ['g c'], run: compareSelected },
      {
        name: ACTION_TEXT.usage,
        keys: ['g u'],
        run: () => router.push('usage'),
      },
      { name: CAUSE_TEXT.heading, keys: ['g e'], run: () => router.push('causes') },
      { name: ACTION_TEXT.audit, keys: ['g a'], run: () => router.push('audit') },
      { name: ACTION_TEXT.answer, keys: ['a'], run: focusAnswer },
      { name: ACTION_TEXT.nextRow, keys: ['j'], run: () => walkRows('ArrowDown') },
      { name: ACTION_TEXT.previousRow, keys: ['k'], run: () => walkRows('ArrowUp') },
      { name: ACTION_TEXT.palette, keys: ['mod+k'], run: toggle('palette') },
      { name: ACTION_TEXT.selection, keys: ['.'], run: toggle('selection') },
      { name: SHELL_TEXT.keys, keys: ['?'], run: toggle('keys') },
      { name: SHELL_TEXT.skip, run: () => toPage(page.current) },
      {
        name: ACTION_TEXT.singleKeys,
        run: () => preferences.change({ keys: !preferences.get().keys }),
      },
    ];
  }, [router, preferences, selection, sessions, setDialog, page]);
  useActions(EVERYWHERE, actions);
}

/** Load the code of everything while the page is idle: it opens at once, also when the service is gone. */
function usePartsSoon(): void {
  const isLive = useCell(useInspector().feed.status).kind === 'live';
  useEffect(() => {
    if (!isLive) return;
    const abort = new AbortController();
    const timer = setTimeout(() => void loadAllParts(abort.signal), 1500);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [isLive]);
}

function CurrentPage() {
  const route = useRoute();
  return (
    <Guarded name={PAGE_NAMES[route.page]} of={route} loading={null}>
      <PageOf route={route} />
    </Guarded>
  );
}

function PageOf({ route }: { readonly route: Route }) {
  switch (route.page) {
    case 'sessions':
      return <SessionsPage />;
    case 'session':
      return <OpenSession key={route.id} id={route.id} />;
    case 'waiting':
      return <InboxPage />;
    case 'audit':
      return <AuditPage />;
    case 'usage':
      return <UsagePage />;
    case 'causes':
      return <CausesPage />;
    case 'search':
      return <SearchPage />;
    case 'compare':
      return <ComparePage />;
    case 'unknown':
      return (
        <main className="ins-app__lost">
          <h1>{SHELL_TEXT.notFound}</h1>
          <Link to="">{SHELL_TEXT.allSessions}</Link>
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

export function StoreBanner() {
  const health = useCell(useInspector().storeHealth);
  if (health === undefined || health.state === 'ok') return null;
  return (
    <div className="ins-store" role="alert">
      <strong>{STORE_TEXT[health.state]}</strong>
      <span>{quoted(health.message)}</span>
      <span className="ins-store__since">
        {SHELL_TEXT.since} <When at={health.since} />
        {health.state === 'incomplete' ? '.' : SHELL_TEXT.agentsRetry}
      </span>
    </div>
  );
}
