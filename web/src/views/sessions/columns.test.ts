import { expect, test } from 'vitest';
import { chosenColumns, gridOf, pinnedFirst, TITLE } from './columns.tsx';

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

test('pinned columns come first, and stay at the width of what is before them', () => {
  const chosen = chosenColumns(null, ['agents', 'spans', 'cost'], LEAST_PX, true);
  const columns = pinnedFirst(chosen, ['cost']);
  expect(columns.map(({ id }) => id)).toEqual(['cost', 'agents', 'spans']);
  const widths = { [TITLE]: 300, agents: 700 };
  const { template, lefts_px } = gridOf(columns, widths, 1, LEAST_PX);
  expect(template).toBe('14px 46px 300px 76px 700px 72px');
  // Edge, selection, gap; status, gap; title, gap: each from the middle of the gap before it.
  expect(lefts_px).toEqual([0, 36, 94, 406]);
});

test('nothing stays where all is in view, or where it would leave no room for the rest', () => {
  const columns = chosenColumns(null, ['agents', 'cost'], LEAST_PX, true);
  expect(gridOf(columns, {}, 1, LEAST_PX).lefts_px).toEqual([]);
  expect(gridOf(columns, { [TITLE]: 600 }, 1, LEAST_PX).lefts_px).toEqual([]);
});
