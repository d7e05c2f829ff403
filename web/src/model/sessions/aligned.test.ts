import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AlignedItem,
  firstUnread,
  itemsOf,
  joined,
  keyOfItem,
  type Placed,
  parentOf,
} from './aligned.ts';

/** Steps of a tree, from their depths in depth-first order. */
function placed(depths: readonly number[]): Placed[] {
  return depths.map((depth, row) => {
    const end = depths.findIndex((other, at) => at > row && other <= depth);
    return { row, depth, size: (end < 0 ? depths.length : end) - row };
  });
}

const TREE = placed([0, 1, 2, 2, 1, 1, 2, 1]);
const NONE = new Set<number>();

function only(...rows: number[]): Placed[] {
  return TREE.filter(({ row }) => rows.includes(row));
}

function drawn(items: readonly AlignedItem<Placed>[]): string[] {
  return items.map((item) => {
    const indent = '  '.repeat(item.depth);
    if (item.kind === 'between') return `${indent}${item.start}..${item.stop}`;
    if (item.kind === 'later') return `${indent}later`;
    return `${indent}${item.step.row}${item.isOpen === undefined ? '' : item.isOpen ? ' -' : ' +'}`;
  });
}

test('what was not read is one row between the others, at the depth of its top', () => {
  expect(drawn(itemsOf(only(0, 5, 6), 8, { closed: NONE }))).toEqual([
    '0 -',
    '  1..5',
    '  5 -',
    '    6',
    '  7..8',
  ]);
  expect(drawn(itemsOf(only(0, 1, 2), 8, { closed: NONE }))).toEqual([
    '0 -',
    '  1 -',
    '    2',
    '    3..4',
    '  4..8',
  ]);
});

test('a step is closed when nothing below it was read, or when it was closed', () => {
  expect(drawn(itemsOf(only(0, 1), 8, { closed: NONE }))).toEqual(['0 -', '  1 +', '  4..8']);
  expect(drawn(itemsOf(TREE, 8, { closed: new Set([1, 5]) }))).toEqual([
    '0 -',
    '  1 +',
    '  4',
    '  5 +',
    '  7',
  ]);
});

test('all that comes after the first difference is one row, until it is shown', () => {
  const steps = only(0, 1, 5, 6);
  expect(drawn(itemsOf(steps, 8, { closed: NONE, first: 1 }))).toEqual([
    '0 -',
    '  1 +',
    '    later',
  ]);
  expect(drawn(itemsOf(steps, 8, { closed: NONE, first: 1, isLaterShown: true }))).toEqual([
    '0 -',
    '  1 +',
    '    later',
    '  4..5',
    '  5 -',
    '    6',
    '  7..8',
  ]);
});

test('each row is shown once, or is between or below others, whatever was read and closed', () => {
  const depths = fc.array(fc.nat(3), { minLength: 1, maxLength: 12 }).map((wanted) => {
    let above = -1;
    return wanted.map((depth) => {
      above = Math.min(depth, above + 1);
      return above;
    });
  });
  fc.assert(
    fc.property(depths, fc.infiniteStream(fc.boolean()), (tree, flags) => {
      const all = placed(tree);
      const next = () => flags.next().value === true;
      const read = all.filter(() => next());
      const closed = new Set(all.filter(() => next()).map(({ row }) => row));
      let row = 0;
      for (const item of itemsOf(read, all.length, { closed })) {
        if (item.kind === 'later') throw new Error('nothing is later');
        if (item.kind === 'between') {
          expect(item.start).toBe(row);
          row = item.stop;
        } else {
          expect(item.step.row).toBe(row);
          row += item.isOpen ? 1 : item.step.size;
        }
      }
      expect(row).toBe(all.length);
    }),
  );
});

test('pages that were read later are joined by row, and the next gap in them is known', () => {
  const steps = joined(only(0, 5), only(1, 2));
  expect(steps.map(({ row }) => row)).toEqual([0, 1, 2, 5]);
  expect(firstUnread(steps, 1, 5)).toBe(3);
  expect(firstUnread(steps, 1, 3)).toBe(3);
});

test('an item is below the last step before it that is less deep', () => {
  const items = itemsOf(only(0, 1, 2), 8, { closed: NONE });
  expect(items.map(keyOfItem)).toEqual(['0', '1', '2', 'from 3', 'from 4']);
  expect(items.map((_, at) => parentOf(items, at))).toEqual([undefined, 0, 1, 1, 0]);
});
