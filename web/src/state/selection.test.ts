import { expect, test } from 'vitest';
import { Selection } from './selection.ts';

const ORDER = ['a', 'b', 'c', 'd', 'e'];

test('a range goes from the row that was toggled last, either way', () => {
  const selection = new Selection();
  selection.toggle('d');
  selection.extendTo('b', ORDER);
  expect([...selection.ids.get()].sort()).toEqual(['b', 'c', 'd']);
  selection.extendTo('e', ORDER);
  expect([...selection.ids.get()].sort()).toEqual(['b', 'c', 'd', 'e']);
});

test('a range from a row that is gone is that row alone', () => {
  const selection = new Selection();
  selection.toggle('x');
  selection.toggle('x');
  selection.extendTo('c', ORDER);
  expect([...selection.ids.get()]).toEqual(['c']);
});

test('a selection stays with its list and ends with another', () => {
  const selection = new Selection();
  selection.show('sessions?q=a');
  selection.toggle('b');
  selection.show('sessions?q=a');
  expect([...selection.ids.get()]).toEqual(['b']);
  selection.show('sessions');
  expect(selection.ids.get().size).toBe(0);
});

test('what was removed is not selected', () => {
  const selection = new Selection();
  selection.add(ORDER);
  selection.remove(['a', 'x']);
  selection.toggle('b');
  expect([...selection.ids.get()]).toEqual(['c', 'd', 'e']);
  selection.clear();
  expect(selection.ids.get().size).toBe(0);
});
