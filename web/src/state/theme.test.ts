import { expect, test } from 'vitest';
import { DEFAULTS, type PreferenceStore, type Theme } from './preferences.ts';
import { applyTheme } from './theme.ts';

function shownWith(theme: Theme, ...wishes: readonly string[]): string {
  const preferences = {
    get: () => ({ ...DEFAULTS, theme }),
    subscribe: () => () => undefined,
  } as unknown as PreferenceStore;
  const matches = (query: string) =>
    ({ matches: wishes.includes(query), addEventListener: () => undefined }) as never;
  const root = { dataset: {} } as HTMLElement;
  return applyTheme(preferences, root, matches).get();
}

const DARK = '(prefers-color-scheme: dark)';
const FORCED = '(forced-colors: active)';

test('what was chosen is shown, else what the system wishes', () => {
  expect(shownWith('light', DARK)).toBe('light');
  expect(shownWith('system', DARK)).toBe('dark');
  expect(shownWith('system', DARK, '(prefers-contrast: more)')).toBe('contrast');
});

test('on the ground of forced colours, what is drawn can be seen, whatever was chosen', () => {
  expect(shownWith('light', FORCED, DARK)).toBe('contrast');
  expect(shownWith('dark', FORCED)).toBe('light');
});
