// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { Cell } from '../../state/cell.ts';
import { exampleInspector } from '../../state/examples.ts';
import { PageContext } from '../parts/context.ts';
import { Palette } from './palette.tsx';

beforeAll(() => {
  // jsdom has no modal dialogs, and nothing to scroll.
  Element.prototype.scrollIntoView ??= () => {};
  HTMLDialogElement.prototype.showModal ??= function showModal(this: HTMLDialogElement) {
    this.open = true;
  };
  HTMLDialogElement.prototype.close ??= function close(this: HTMLDialogElement) {
    this.open = false;
  };
});
afterEach(cleanup);

/** Show the palette with actions of these names; return where the names of those done land. */
function open(...names: string[]): string[] {
  return openAfter({ current: '', isEntered: false }, ...names);
}

function openAfter(typed: { current: string; isEntered: boolean }, ...names: string[]): string[] {
  const done: string[] = [];
  const inspector = exampleInspector({
    sessions: () => new Promise(() => {}),
  });
  inspector.actions.add({
    where: 'Session',
    actions: names.map((name) => ({ name, run: () => done.push(name) })),
  });
  render(
    <PageContext value={{ inspector, theme: new Cell('light' as const) }}>
      <Palette typed={typed} isSelectionOnly={false} onClose={() => {}} />
    </PageContext>,
  );
  return done;
}

// Straight to the page, without `act`, which would let the list settle after each of them.
function type(text: string): void {
  const field = screen.getByRole<HTMLInputElement>('combobox', { hidden: true });
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set;
  set?.call(field, text);
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

function press(key: string): void {
  const field = screen.getByRole('combobox', { hidden: true });
  field.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
}

const shown = () => screen.getAllByRole('option', { hidden: true }).map((one) => one.textContent);
const typed = async (text: string) => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false);
  type(text);
  await Promise.resolve(); // the field shows it, the list not yet
  expect(shown()).toHaveLength(2);
};

test('Enter before the palette is loaded does the best of what was typed', () => {
  const typedBefore = { current: 'two', isEntered: true };
  expect(openAfter(typedBefore, 'Number one', 'Number two')).toEqual(['Number two']);
  expect(typedBefore).toEqual({ current: '', isEntered: false });
});

test('Enter before the list has settled does the best of what was typed', async () => {
  const done = open('Next error', 'Compare with…');
  await typed('compare');
  press('Enter');
  expect(done).toEqual([]);
  await vi.waitFor(() => expect(done).toEqual(['Compare with…']));
});

test('Enter before the list has settled does nothing where more is typed after it', async () => {
  const done = open('Next error', 'Compare with…');
  await typed('compare');
  press('Enter');
  type('nex');
  await vi.waitFor(() => expect(shown()).toEqual(['Next error']));
  expect(done).toEqual([]);
  press('Enter');
  expect(done).toEqual(['Next error']);
});
