import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULTS, parsePreferences } from './preferences.ts';

test('what was kept is read', () => {
  const stored = { ...DEFAULTS, theme: 'dark', panel_px: 700, keys: false };
  expect(parsePreferences(JSON.stringify(stored))).toEqual(stored);
});

test('whatever is kept, every preference can be used', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const preferences = parsePreferences(text);
      expect(Object.keys(preferences).sort()).toEqual(Object.keys(DEFAULTS).sort());
      expect(preferences.panel_px).toBeGreaterThanOrEqual(120);
    }),
  );
});
