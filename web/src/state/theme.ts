/** Theme of the document; "system" follows the system's wishes. */
import { Cell } from './cell.ts';
import type { PreferenceStore, Theme } from './preferences.ts';

export type ShownTheme = Exclude<Theme, 'system'>;

/** The theme that is shown; canvases read their colours again when it changes. */
export function applyTheme(
  preferences: PreferenceStore,
  root: HTMLElement,
  matches: (query: string) => MediaQueryList,
): Cell<ShownTheme> {
  const dark = matches('(prefers-color-scheme: dark)');
  const contrast = matches('(prefers-contrast: more)');
  const forced = matches('(forced-colors: active)');
  const resolve = (): ShownTheme => {
    // What is drawn has our colours, and stands on the system's ground: they have to fit.
    if (forced.matches) return dark.matches ? 'contrast' : 'light';
    const { theme } = preferences.get();
    if (theme !== 'system') return theme;
    return contrast.matches ? 'contrast' : dark.matches ? 'dark' : 'light';
  };
  const shown = new Cell(resolve());
  const update = () => {
    root.dataset['theme'] = resolve();
    shown.set(resolve());
  };
  update();
  preferences.subscribe(update);
  dark.addEventListener('change', update);
  contrast.addEventListener('change', update);
  forced.addEventListener('change', update);
  return shown;
}
