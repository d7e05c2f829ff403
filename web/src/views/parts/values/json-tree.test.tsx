// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, within } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Cell } from '../../../state/cell.ts';
import { exampleInspector } from '../../../state/examples.ts';
import { PageContext } from '../context.ts';
import { JsonText } from './json-tree.tsx';

afterEach(cleanup);

const VALUE = {
  name: 'deploy',
  steps: [{ id: 1 }, { id: 2 }],
  big: Array.from({ length: 61 }, (_, at) => `${at}`),
};

function show() {
  const page = { inspector: exampleInspector({}), theme: new Cell('light' as const) };
  render(
    <PageContext value={page}>
      <JsonText text={JSON.stringify(VALUE)} what="the output" />
    </PageContext>,
  );
}

const lines = () => [...document.querySelectorAll<HTMLElement>('[role=treeitem]')];
const line = (text: RegExp) => {
  const found = lines().find((one) => one.textContent?.match(text));
  if (found === undefined) throw new Error(`no line ${text}`);
  return found;
};
const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });
/** As a pointer does it: what can have the focus takes it first. */
const click = (element: HTMLElement) => {
  act(() => element.closest<HTMLElement>('[tabindex]')?.focus());
  fireEvent.click(element);
};

test('a click on a line unfolds it, and the arrow keys go on from there', () => {
  show();
  const big = line(/^big/);
  expect(big.getAttribute('aria-expanded')).toBe('false');
  click(big);
  expect(big.getAttribute('aria-expanded')).toBe('true');
  press('ArrowDown');
  expect(document.activeElement).toBe(line(/^0"0"/));
  press('ArrowLeft');
  expect(document.activeElement).toBe(big);
  press('ArrowLeft');
  expect(big.getAttribute('aria-expanded')).toBe('false');
  press('Home');
  press('End');
  expect(document.activeElement).toBe(big);
  press('Enter');
  expect(big.getAttribute('aria-expanded')).toBe('true');
});

test('the name of a line is what it says, without its buttons', () => {
  show();
  const names = lines().map((one) => one.getAttribute('aria-label'));
  expect(names.slice(0, 3)).toEqual(['{3}', 'name: "deploy"', 'steps: [2]']);
});

test('a click on a button in a line does not fold it', () => {
  show();
  const steps = line(/^steps/);
  expect(steps.getAttribute('aria-expanded')).toBe('true');
  click(within(steps).getByRole('button', { name: /path/ }));
  expect(steps.getAttribute('aria-expanded')).toBe('true');
});

test('a tree has one tab stop: its first line, then the one that was focused', () => {
  show();
  const stops = () => lines().filter((one) => one.tabIndex === 0);
  expect(stops()).toEqual(lines().slice(0, 1));
  click(line(/^name/));
  expect(stops()).toEqual([line(/^name/)]);
});
