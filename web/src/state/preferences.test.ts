import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  applyTheme,
  DEFAULTS,
  type PreferenceStore,
  parsePreferences,
  type Theme,
} from './preferences.ts';

test('what was kept is read', () => {
  const stored = {
    ...DEFAULTS,
    theme: 'contrast-light',
    timeZone: 'utc',
    dates: 'relative',
    panel_px: 700,
    keys: false,
    rowDensity: 'compact',
    columnWidths: { title: 320 },
    pinned: ['cost'],
  };
  expect(parsePreferences(JSON.stringify(stored))).toEqual(stored);
});

test('whatever is kept, every preference can be used', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const preferences = parsePreferences(text);
      expect(Object.keys(preferences).sort()).toEqual(Object.keys(DEFAULTS).sort());
      expect(preferences.panel_px).toBeGreaterThanOrEqual(120);
      for (const px of Object.values(preferences.columnWidths)) expect(px).toBeLessThan(2000);
    }),
  );
});

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
  expect(shownWith('system', '(prefers-contrast: more)')).toBe('contrast-light');
});

test('on the ground of forced colours, what is drawn can be seen, whatever was chosen', () => {
  expect(shownWith('light', FORCED, DARK)).toBe('contrast');
  expect(shownWith('dark', FORCED)).toBe('contrast-light');
});
