/** Starts the page of a saved session: one file, which asks nobody. See `vite.saved.config.ts`. */
import { StrictMode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { httpApi } from './api/client.ts';
import { NOWHERE, SavedAnswers } from './api/saved-answers.ts';
import { Inspector } from './state/inspector.ts';
import { applyTheme, PreferenceStore } from './state/preferences.ts';
import { Router, sessionPath } from './state/route.ts';
import { addressInHash } from './state/saved-address.ts';
import { SAVED_TEXT } from './texts.ts';
import { PageContext } from './views/parts/context.ts';
import { Guarded } from './views/parts/guarded.tsx';
import { SavedPage } from './views/saved-page.tsx';
import './styles/tokens.css';
import './styles/base.css';

// Those of the reader's browser are not ours to read: all files share one storage.
const preferences = new PreferenceStore(undefined);
const theme = applyTheme(preferences, document.documentElement, (query) => matchMedia(query));

void start(createRoot(element('root')));

async function start(root: Root): Promise<void> {
  try {
    const answers = await SavedAnswers.unpack(element('answers').textContent ?? '');
    const { session_id, exported_at, left_out } = answers.saved;
    const inspector = new Inspector({
      api: httpApi(NOWHERE, answers.fetch),
      router: new Router(NOWHERE, addressInHash(window, new URL(sessionPath(session_id), NOWHERE))),
      preferences,
      serviceUrl: NOWHERE,
      saved: { exportedAt: exported_at, leftOut: left_out },
      feed: { open: never, locks: undefined, channel: undefined, name: '', tab: '' },
    });
    root.render(
      <StrictMode>
        <PageContext value={{ inspector, theme }}>
          <Guarded>
            <SavedPage sessionId={session_id} />
          </Guarded>
        </PageContext>
      </StrictMode>,
    );
  } catch {
    root.render(<p role="alert">{SAVED_TEXT.damaged}</p>);
  }
}

/** There is no feed: it is never started. */
function never(): never {
  throw new Error(SAVED_TEXT.readOnly);
}

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no #${id}.`);
  return found;
}
