// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { lazy } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SpanDetail } from '../../api/types.ts';
import { exampleSpan } from '../../model/examples.ts';
import { SPAN_VISUALISERS } from './registry.ts';
import { VisualisedSpan, visualiserTabs } from './span-tabs.tsx';
import type { SpanVisualiser } from './visualiser.ts';

const span = { ...exampleSpan(), attributes: {} } as unknown as SpanDetail;

function visualiser(values: Partial<SpanVisualiser>): SpanVisualiser {
  return { id: 'test', name: 'Test', matches: () => true, Shown: () => <p>shown</p>, ...values };
}

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {}); // React tells of what is caught
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

test('a visualiser that throws shows an error, and what is beside it stays', () => {
  let isBroken = true;
  const Shown = () => {
    if (isBroken) throw new Error('no such document');
    return <p>mended</p>;
  };
  render(
    <>
      <p>the rest of the page</p>
      <VisualisedSpan tab="show-test" span={span} all={[visualiser({ Shown })]} />
    </>,
  );
  expect(screen.getByRole('alert').textContent).toContain('“Test” failed to render');
  expect(screen.getByRole('alert').textContent).toContain('no such document');
  expect(screen.getByText('the rest of the page')).toBeDefined();
  isBroken = false;
  fireEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(screen.getByText('mended')).toBeDefined();
});

test('another span is another try', () => {
  const Shown = ({ span: shown }: { readonly span: SpanDetail }) => {
    if (shown.span_id === 'a') throw new Error('not this one');
    return <p>this one</p>;
  };
  const all = [visualiser({ Shown })];
  const { rerender } = render(<VisualisedSpan tab="show-test" span={span} all={all} />);
  expect(screen.getByRole('alert')).toBeDefined();
  rerender(<VisualisedSpan tab="show-test" span={{ ...span, span_id: 'b' }} all={all} />);
  expect(screen.getByText('this one')).toBeDefined();
});

test('code that does not load is an error of the visualiser alone', async () => {
  const Shown = lazy(() => Promise.reject(new Error('is gone')));
  render(<VisualisedSpan tab="show-test" span={span} all={[visualiser({ Shown })]} />);
  expect((await screen.findByRole('alert')).textContent).toContain('is gone');
});

test('a predicate that throws matches nothing, and the others are asked', () => {
  const throwing = visualiser({
    id: 'broken',
    matches: () => {
      throw new Error('what is this');
    },
  });
  const no = visualiser({ id: 'no', matches: () => false });
  expect(visualiserTabs(span, [throwing, no, visualiser({})])).toEqual([['show-test', 'Test']]);
});

test('a tab that is no visualiser shows nothing', () => {
  const { container } = render(<VisualisedSpan tab="show-gone" span={span} all={[]} />);
  expect(container.textContent).toBe('');
});

test('ids are of one visualiser each, and fit into an address', () => {
  const ids = SPAN_VISUALISERS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-z0-9-]+$/);
});
