import fc from 'fast-check';
import { expect, test } from 'vitest';
import { atOnce, inSlices, sortSteps } from './slices.ts';

/** Work of so many steps, on a clock that goes on by 3 ms with each. */
function steps(count: number) {
  const clock = { now_ms: 0 };
  const work = {
    done: 0,
    advance: () => {
      clock.now_ms += 3;
      work.done += 1;
      return work.done === count;
    },
  };
  return { work, now_ms: () => clock.now_ms };
}

test('the page has its turn every few milliseconds', async () => {
  const { work, now_ms } = steps(20);
  const turns: number[] = [];
  const pause = async () => {
    turns.push(work.done);
  };
  await inSlices(work, { signal: new AbortController().signal, pause, now_ms });
  expect(work.done).toBe(20);
  expect(turns).toEqual([4, 8, 12, 16]);
});

test('what is called off stops at the next turn', async () => {
  const { work, now_ms } = steps(20);
  const calling = new AbortController();
  const pause = async () => calling.abort();
  await expect(inSlices(work, { signal: calling.signal, pause, now_ms })).rejects.toThrow();
  expect(work.done).toBe(4);
});

test('what is sorted in steps is in the order in which all at once would be, equal ones too', () => {
  const order = (one: readonly number[], other: readonly number[]) =>
    (one[0] ?? 0) - (other[0] ?? 0);
  fc.assert(
    fc.property(fc.array(fc.nat(99), { minLength: 2000, maxLength: 9000 }), (values) => {
      const items = values.map((value, at) => [value, at] as const);
      expect(atOnce(sortSteps(items, order))).toEqual(items.toSorted(order));
    }),
    { numRuns: 10 },
  );
});
