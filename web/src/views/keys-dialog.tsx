/** Dialog with all keys of the page: those of its actions, and those of widgets. */
import { useEffect, useMemo, useRef } from 'react';
import { type KeyRow, type KeySection, keyList } from '../model/keys/key-list.ts';
import { keyName } from '../model/keys/key-names.ts';
import { EVERYWHERE } from '../state/actions.ts';
import { paletteHint, SHELL_TEXT, WIDGET_TEXT, withKey } from '../texts.ts';
import { useCell, useInspector, usePreferences } from './parts/context.ts';
import { ActionIcon } from './parts/icons.tsx';
import { isMac } from './parts/platform.ts';
import { YourName } from './parts/your-name.tsx';
import './keys-dialog.css';

export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { preferences, actions, saved } = useInspector();
  const { keys } = usePreferences();
  const groups = useCell(actions.groups);
  const sections = useMemo(() => [...keyList(groups, EVERYWHERE), WIDGET_KEYS], [groups]);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="ins-keys" aria-label={SHELL_TEXT.keys} onClose={onClose}>
      <header className="ins-keys__head">
        <h2>{SHELL_TEXT.keys}</h2>
        <button
          type="button"
          className="ins-icon-button"
          title={withKey(SHELL_TEXT.close, 'Esc')}
          aria-label={SHELL_TEXT.close}
          onClick={onClose}
        >
          <ActionIcon name="close" />
        </button>
      </header>
      <div className="ins-keys__sections">
        {sections.map(({ where, rows }) => (
          <section key={where} aria-label={where}>
            <h3>{where}</h3>
            <dl>
              {rows.map((row) => (
                <Row key={row.what} row={row} />
              ))}
            </dl>
          </section>
        ))}
      </div>
      <footer className="ins-keys__foot">
        <label className="ins-keys__switch">
          <input
            type="checkbox"
            checked={keys}
            onChange={(event) => preferences.change({ keys: event.target.checked })}
          />
          {SHELL_TEXT.singleKeys}
        </label>
        {saved === undefined && (
          <>
            <p>{paletteHint(keyName('mod+k', isMac()))}</p>
            <YourName />
          </>
        )}
      </footer>
    </dialog>
  );
}

function Row({ row }: { readonly row: KeyRow }) {
  return (
    <div>
      <dt>
        {row.keys.map((key) => (
          <kbd key={key}>{keyName(key, isMac())}</kbd>
        ))}
      </dt>
      <dd>{row.what}</dd>
    </div>
  );
}

/** Keys that a widget handles itself: they depend on the focus. */
const WIDGET_KEYS: KeySection = {
  where: WIDGET_TEXT.where,
  rows: [
    { keys: ['ArrowUp', 'ArrowDown'], what: WIDGET_TEXT.row },
    { keys: ['ArrowLeft', 'ArrowRight'], what: WIDGET_TEXT.tree },
    { keys: ['ArrowLeft', 'ArrowRight'], what: WIDGET_TEXT.tabs },
    { keys: ['Home', 'End', 'PageUp', 'PageDown'], what: WIDGET_TEXT.ends },
    { keys: ['Home', 'End', 'PageUp', 'PageDown'], what: WIDGET_TEXT.time },
    { keys: [' '], what: WIDGET_TEXT.play },
    { keys: ['Enter'], what: WIDGET_TEXT.open },
    { keys: ['Tab'], what: WIDGET_TEXT.suggestion },
    { keys: ['Escape'], what: WIDGET_TEXT.leave },
  ],
};
