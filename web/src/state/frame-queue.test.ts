import { expect, test } from 'vitest';
import { FrameQueue } from './frame-queue.ts';

function setUp() {
  const frames: (() => void)[] = [];
  const flushed: number[][] = [];
  const page = { isHidden: false, drops: 0 };
  const queue = new FrameQueue<number>(
    { requestFrame: (frame) => frames.push(frame), isHidden: () => page.isHidden },
    (items) => flushed.push([...items]),
    () => {
      page.drops += 1;
    },
  );
  const paint = () => {
    for (const frame of frames.splice(0)) frame();
  };
  return { queue, flushed, page, paint, frames };
}

test('everything of a frame lands at once', () => {
  const { queue, flushed, paint, frames } = setUp();
  for (const item of [1, 2, 3]) queue.push(item);
  expect(frames).toHaveLength(1);
  paint();
  queue.push(4);
  paint();
  expect(flushed).toEqual([[1, 2, 3], [4]]);
});

test('a hidden tab that missed little catches up from its queue', () => {
  const { queue, flushed, page, paint } = setUp();
  page.isHidden = true;
  queue.push(1);
  paint();
  expect(flushed).toEqual([]);
  page.isHidden = false;
  queue.onVisible();
  paint();
  expect(flushed).toEqual([[1]]);
});

test('a hidden tab that missed much drops its queue and reads again', () => {
  const { queue, flushed, page, paint } = setUp();
  page.isHidden = true;
  for (let item = 0; item < 20_000; item += 1) queue.push(item);
  page.isHidden = false;
  queue.onVisible();
  paint();
  expect(page.drops).toBe(1);
  expect(flushed).toEqual([]);
  queue.push(1);
  paint();
  expect(flushed).toEqual([[1]]);
});
