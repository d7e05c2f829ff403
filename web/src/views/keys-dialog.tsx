/** All keys. */
import { useEffect, useRef } from 'react';
import { useInspector, usePreferences } from './context.ts';
import { ActionIcon } from './icons.tsx';
import { YourName } from './your-name.tsx';
import './keys-dialog.css';

const KEYS: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    'Everywhere',
    [
      ['/', 'find'],
      ['?', 'these keys'],
      ['G S', 'the sessions'],
      ['G W', 'what waits for a person'],
      ['G A', 'the audit log'],
      ['A', 'to the button that answers (it waits half a second, then Enter presses it)'],
      ['Esc', 'leave: the field, the panel, the session'],
    ],
  ],
  [
    'Session list',
    [
      ['↑ ↓', 'previous, next session'],
      ['Enter', 'open'],
      ['W', 'next session that waits for a person'],
    ],
  ],
  [
    'Waiting',
    [
      ['↑ ↓', 'previous, next request'],
      ['Enter', 'show the whole request, fold it'],
      ['Esc', 'out of the editor'],
    ],
  ],
  [
    'Session',
    [
      ['↑ ↓', 'previous, next row'],
      ['← →', 'fold and to the parent, unfold and to the first child'],
      ['Enter', 'open the span'],
      ['E', 'next error'],
      ['W', 'next span that waits for a person'],
      ['[ ]', 'previous, next sibling'],
      ['F', 'freeze'],
      ['+ − 0', 'zoom in, out, show everything'],
      ['Ctrl + wheel', 'zoom at the pointer; Shift + wheel moves'],
    ],
  ],
];

export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { preferences } = useInspector();
  const { keys } = usePreferences();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="ins-keys" aria-label="Keys" onClose={onClose}>
      <header className="ins-keys__head">
        <h2>Keys</h2>
        <button type="button" className="ins-icon-button" aria-label="Close" onClick={onClose}>
          <ActionIcon name="close" />
        </button>
      </header>
      {KEYS.map(([where, list]) => (
        <section key={where}>
          <h3>{where}</h3>
          <dl>
            {list.map(([key, what]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <label className="ins-keys__switch">
        <input
          type="checkbox"
          checked={keys}
          onChange={(event) => preferences.change({ keys: event.target.checked })}
        />
        Single-letter keys
      </label>
      <YourName />
    </dialog>
  );
}
