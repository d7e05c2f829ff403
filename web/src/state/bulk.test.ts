import { expect, test } from 'vitest';
import { Bulk } from './bulk.ts';

const IDS = Array.from({ length: 20 }, (_, n) => String(n));

test('each is done once, a few at a time, and failures are told apart', async () => {
  const bulk = new Bulk(IDS);
  const seen: string[] = [];
  let [now, most] = [0, 0];
  await bulk.run(async (id) => {
    now += 1;
    most = Math.max(most, now);
    await Promise.resolve();
    now -= 1;
    seen.push(id);
    if (id === '7') throw new Error('No.');
  });
  expect(seen.sort()).toEqual([...IDS].sort());
  expect(most).toBe(4);
  expect(bulk.progress.get()).toEqual({
    total: 20,
    done: 19,
    failures: [{ id: '7', message: 'No.' }],
    isOver: true,
    isStopped: false,
  });
});

test('what is stopped begins no more', async () => {
  const bulk = new Bulk(IDS);
  const begun: string[] = [];
  await bulk.run(async (id) => {
    begun.push(id);
    if (id === '1') bulk.stop();
    await Promise.resolve();
  });
  expect(begun.length).toBeLessThan(8);
  expect(bulk.progress.get()).toMatchObject({ isOver: true, isStopped: true });
});
