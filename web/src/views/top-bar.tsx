/** The bar above every page: navigation, connection, settings. */
import { useMemo } from 'react';
import { keyName } from '../model/keys/key-names.ts';
import { formatCount } from '../model/text/format.ts';
import type { DateForm, TimeZone } from '../model/text/times.ts';
import { EVERYWHERE } from '../state/actions.ts';
import type { ConnectionStatus } from '../state/event-source.ts';
import { THEMES, type Theme } from '../state/preferences.ts';
import type { Route } from '../state/route.ts';
import {
  ACTION_TEXT,
  FEED_TEXT,
  PAGE_NAMES,
  SETTINGS_TEXT,
  SHELL_TEXT,
  withKey,
} from '../texts.ts';
import { useActions } from './parts/actions.ts';
import { useCell, useInspector, useNow, useRoute } from './parts/context.ts';
import { ActionIcon } from './parts/icons.tsx';
import { lazyPart } from './parts/lazy-part.ts';
import { Link } from './parts/link.tsx';
import { isMac } from './parts/platform.ts';
import { PanelButton } from './parts/popups/popup-button.tsx';
import './top-bar.css';

const SettingsPanel = lazyPart(async () => (await import('./settings-panel.tsx')).SettingsPanel);

interface TopBarProps {
  readonly onKeys: () => void;
  readonly onPalette: () => void;
}

export function TopBar({ onKeys, onPalette }: TopBarProps) {
  const key = keyName('mod+k', isMac());
  return (
    <header className="ins-bar">
      <Link className="ins-bar__brand" to="" title={SHELL_TEXT.allSessions}>
        <BrandMark />
        <span className="ins-bar__name">Inspector</span>
      </Link>
      <nav className="ins-bar__nav" aria-label={SHELL_TEXT.main}>
        <PageLink page="sessions" to="" title={withKey(PAGE_NAMES.sessions, 'G S')}>
          {PAGE_NAMES.sessions}
        </PageLink>
        <WaitingLink />
        <PageLink page="search" to="search" title={withKey(ACTION_TEXT.search, 'G F')}>
          {PAGE_NAMES.search}
        </PageLink>
        <PageLink page="compare" to="compare" title={withKey(ACTION_TEXT.compare, 'G C')}>
          {PAGE_NAMES.compare}
        </PageLink>
        <PageLink page="usage" to="usage" title={withKey(ACTION_TEXT.usage, 'G U')}>
          {PAGE_NAMES.usage}
        </PageLink>
        <PageLink page="audit" to="audit" title={withKey(ACTION_TEXT.audit, 'G A')}>
          {PAGE_NAMES.audit}
        </PageLink>
      </nav>
      <div className="ins-bar__end">
        <button
          type="button"
          className="ins-bar__palette"
          onClick={onPalette}
          title={withKey(ACTION_TEXT.palette, key)}
          aria-keyshortcuts="Control+K Meta+K"
        >
          <ActionIcon name="search" />
          <span className="ins-hidden">{SHELL_TEXT.palette}</span>
          <kbd aria-hidden="true">{key}</kbd>
        </button>
        <LiveMark />
        <SettingsButton />
        <button
          type="button"
          className="ins-icon-button"
          onClick={onKeys}
          title={withKey(SHELL_TEXT.keys, '?')}
          aria-label={SHELL_TEXT.keys}
        >
          <ActionIcon name="keys" />
        </button>
      </div>
    </header>
  );
}

interface PageLinkProps {
  readonly page: Route['page'];
  readonly to: string;
  readonly title: string;
  readonly children: string;
}

function PageLink({ page, to, title, children }: PageLinkProps) {
  return (
    <Link className="ins-bar__link" to={to} title={title} isCurrent={useRoute().page === page}>
      {children}
    </Link>
  );
}

/** Link to the inbox, with the number of open requests. */
function WaitingLink() {
  const { requests } = useInspector();
  const count = useCell(requests.pending).length;
  return (
    <Link
      className={`ins-bar__link${count > 0 ? ' ins-bar__link--waiting' : ''}`}
      to="waiting"
      title={withKey(PAGE_NAMES.waiting, 'G W')}
      isCurrent={useRoute().page === 'waiting'}
    >
      {PAGE_NAMES.waiting}
      {count > 0 && <span className="ins-bar__count">{formatCount(count)}</span>}
    </Link>
  );
}

export function BrandMark() {
  return (
    <svg className="ins-bar__mark" width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
      <circle cx="9" cy="9" r="7.25" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <circle cx="9" cy="9" r="3" fill="currentColor" />
    </svg>
  );
}

function LiveMark() {
  const { feed } = useInspector();
  const status = useCell(feed.status);
  const now_ms = useNow(status.kind === 'reconnecting' ? 250 : undefined);
  return (
    <button
      type="button"
      className={`ins-live ins-live--${status.kind}`}
      onClick={() => feed.retry()}
      disabled={status.kind === 'live' || status.kind === 'connecting'}
      title={FEED_TEXT.titles[status.kind]}
    >
      <span className="ins-live__dot" />
      <span role="status">{describe(status, now_ms)}</span>
    </button>
  );
}

function describe(status: ConnectionStatus, now_ms: number): string {
  switch (status.kind) {
    case 'live':
      return FEED_TEXT.live;
    case 'connecting':
      return FEED_TEXT.connecting;
    case 'refused':
      return FEED_TEXT.refused;
    case 'reconnecting': {
      const seconds = Math.ceil(Math.max(0, status.retry_at_ms - now_ms) / 1000);
      return FEED_TEXT.reconnecting(seconds);
    }
  }
}

export function SettingsButton() {
  const { preferences } = useInspector();
  const actions = useMemo(() => {
    const { themes, zones, forms } = SETTINGS_TEXT;
    const theme = (one: Theme) => ({
      name: `${SETTINGS_TEXT.theme}: ${themes[one]}`,
      run: () => preferences.change({ theme: one }),
    });
    const zone = (one: TimeZone) => ({
      name: `${SETTINGS_TEXT.timeZone}: ${zones[one]}`,
      run: () => preferences.change({ timeZone: one }),
    });
    const form = (one: DateForm) => ({
      name: `${SETTINGS_TEXT.dates}: ${forms[one]}`,
      run: () => preferences.change({ dates: one }),
    });
    return [
      ...THEMES.map(theme),
      ...(['local', 'utc'] as const).map(zone),
      ...(['absolute', 'relative'] as const).map(form),
    ];
  }, [preferences]);
  useActions(EVERYWHERE, actions);
  return (
    <PanelButton name={SETTINGS_TEXT.title} icon={<ActionIcon name="settings" />}>
      <SettingsPanel />
    </PanelButton>
  );
}
