// @vitest-environment jsdom
import { cleanup, fireEvent, renderHook } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import type { Entry } from '../../model/transcript/transcript.ts';
import { useEntryScrolling } from './scrolling.ts';

afterEach(cleanup);

/** A scroller whose content is as high as it is set to be. */
function scrollerOf(content: { height_px: number }): HTMLElement {
  const scroller = document.createElement('div');
  Object.defineProperty(scroller, 'scrollHeight', { get: () => content.height_px });
  Object.defineProperty(scroller, 'clientHeight', { value: 500 });
  return scroller;
}

function entries(count: number): readonly Entry[] {
  return Array.from(
    { length: count },
    (_, at) => ({ id: `${at}`, key: `${at}`, type: 'call' }) as Entry,
  );
}

function followed(act: (scroller: HTMLElement) => void): number {
  const content = { height_px: 1000 };
  const scroller = scrollerOf(content);
  const { rerender } = renderHook(
    (count: number) => useEntryScrolling(scroller, entries(count), true, true, -1),
    { initialProps: 1 },
  );
  scroller.scrollTop = 500;
  fireEvent.scroll(scroller);
  content.height_px = 2000;
  act(scroller);
  rerender(2);
  return scroller.scrollTop;
}

test('a key that scrolls nothing does not end the following of the end', () => {
  const top_px = followed((scroller) => {
    fireEvent.keyDown(scroller, { key: '2' });
    scroller.scrollTop = 900; // as the page does before the rest of what is new is measured
    fireEvent.scroll(scroller);
  });
  expect(top_px).toBe(2000);
});

test.each([true, false])('only in a session that runs entries are new (%s)', (isLive) => {
  const scroller = scrollerOf({ height_px: 2000 });
  const { result, rerender } = renderHook(
    (count: number) => useEntryScrolling(scroller, entries(count), isLive, false, -1),
    { initialProps: 3 },
  );
  fireEvent.scroll(scroller);
  rerender(5);
  expect(result.current.newBelow).toBe(isLive ? 2 : 0);
});

test('who scrolls up stays there', () => {
  const top_px = followed((scroller) => {
    fireEvent.wheel(scroller);
    scroller.scrollTop = 300;
    fireEvent.scroll(scroller);
  });
  expect(top_px).toBe(300);
});
