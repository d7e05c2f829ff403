import { expect, test } from 'vitest';
import { chosenColumns, gridOf } from './columns.tsx';

/** Below it rows have two lines, and no columns. */
const LEAST_PX = 720;

test('however wide the list is, the columns that nobody chose are in view', () => {
  for (let width_px = LEAST_PX; width_px < 1600; width_px += 1) {
    expect(gridOf(chosenColumns(null, null, width_px, true)).least_px).toBeLessThanOrEqual(
      width_px,
    );
  }
});

test('columns that somebody chose are all there, however narrow the list is', () => {
  const ids = chosenColumns(null, ['models', 'spans', 'agents'], LEAST_PX, true).map(
    ({ id }) => id,
  );
  expect(ids).toEqual(['agents', 'models', 'spans']);
});

test('the user is a column where any session has one', () => {
  const shown = (hasUsers: boolean) =>
    chosenColumns(null, null, 1600, hasUsers).map(({ id }) => id);
  expect(shown(true)).toContain('users');
  expect(shown(false)).not.toContain('users');
});
