/** A session in a file of its own: its page, with a line above it that says what this is. */
import { useCallback, useEffect, useMemo, useState } from 'react';
import { EVERYWHERE } from '../state/actions.ts';
import type { SavedPage as Facts } from '../state/inspector.ts';
import { Trace } from '../state/trace.ts';
import { ACTION_TEXT, SAVED_TEXT, SHELL_TEXT, withKey } from '../texts.ts';
import { KeysDialog } from './keys-dialog.tsx';
import { useActionKeys, useActions } from './parts/actions.ts';
import { useInspector } from './parts/context.ts';
import { ActionIcon } from './parts/icons.tsx';
import { walkRows } from './parts/list-focus.ts';
import { Tips } from './parts/popups/tips.tsx';
import { useTimes } from './parts/times.tsx';
import { SessionPage } from './session/session-page.tsx';
import { BrandMark, SettingsButton } from './top-bar.tsx';
import './app.css';
import './parts/icons.css';
import './saved-page.css';

export function SavedPage({ sessionId }: { readonly sessionId: string }) {
  const inspector = useInspector();
  const [trace] = useState(() => new Trace(sessionId, inspector.api));
  useEffect(() => {
    inspector.openTrace.set(trace);
    void trace.load();
    return () => trace.close();
  }, [inspector, trace]);
  const [hasKeys, setKeys] = useState(false);
  const closeKeys = useCallback(() => setKeys(false), []);
  const actions = useMemo(
    () => [
      { name: ACTION_TEXT.nextRow, keys: ['j'], run: () => walkRows('ArrowDown') },
      { name: ACTION_TEXT.previousRow, keys: ['k'], run: () => walkRows('ArrowUp') },
      { name: SHELL_TEXT.keys, keys: ['?'], run: () => setKeys((are) => !are) },
    ],
    [],
  );
  useActions(EVERYWHERE, actions);
  useActionKeys();
  return (
    <div className="ins-app">
      <header className="ins-bar ins-saved">
        <span className="ins-bar__brand">
          <BrandMark />
          <span className="ins-bar__name">Inspector</span>
        </span>
        {inspector.saved !== undefined && <About saved={inspector.saved} />}
        <div className="ins-bar__end">
          <SettingsButton />
          <button
            type="button"
            className="ins-icon-button"
            onClick={() => setKeys(true)}
            title={withKey(SHELL_TEXT.keys, '?')}
            aria-label={SHELL_TEXT.keys}
          >
            <ActionIcon name="keys" />
          </button>
        </div>
      </header>
      <div className="ins-app__page">
        <SessionPage trace={trace} />
      </div>
      <Tips />
      {hasKeys && <KeysDialog onClose={closeKeys} />}
    </div>
  );
}

function About({ saved: { exportedAt, leftOut } }: { readonly saved: Facts }) {
  return (
    <p className="ins-saved__about">
      <strong>{SAVED_TEXT.label}</strong>{' '}
      <span>
        {`· ${SAVED_TEXT.exported} `}
        <time dateTime={exportedAt}>{useTimes().exactly(exportedAt)}</time>
      </span>
      {leftOut > 0 && <span className="ins-saved__left-out"> {SAVED_TEXT.leftOut(leftOut)}</span>}
    </p>
  );
}
