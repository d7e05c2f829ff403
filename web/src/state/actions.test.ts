import { expect, test } from 'vitest';
import { Actions, EVERYWHERE } from './actions.ts';

const nothing = () => {};
const group = (where: string, name: string, ...keys: string[]) => ({
  where,
  actions: [{ name, keys, run: nothing }],
});

test('a key of the page counts before the same key of everywhere, whichever came last', () => {
  const actions = new Actions();
  actions.add(group('Session', 'find in session', '/'));
  actions.add(group(EVERYWHERE, 'find', '/'));
  expect(actions.ofKey('/')?.name).toBe('find in session');
});

test('of two groups of the page, the one that came last counts', () => {
  const actions = new Actions();
  actions.add(group('Waterfall', 'leave the session', 'Escape'));
  actions.add(group('Palette', 'close the palette', 'Escape'));
  expect(actions.ofKey('Escape')?.name).toBe('close the palette');
});

test('a key of a view counts before the same key of its session, whichever came last', () => {
  const actions = new Actions();
  actions.add(group('MCP log', 'next error of the log', 'e'));
  actions.add(group('Session', 'next error', 'e'));
  expect(actions.ofKey('e')?.name).toBe('next error of the log');
});

test('what was taken back does nothing more', () => {
  const actions = new Actions();
  const takeBack = actions.add(group('Session', 'next error', 'e'));
  takeBack();
  takeBack();
  expect(actions.ofKey('e')).toBeUndefined();
  expect(actions.groups.get()).toEqual([]);
});

test('the first of two keys is known as such, and as nothing else', () => {
  const actions = new Actions();
  actions.add(group(EVERYWHERE, 'the sessions', 'g s'));
  expect(actions.isFirst('g')).toBe(true);
  expect(actions.isFirst('s')).toBe(false);
  expect(actions.ofKey('g')).toBeUndefined();
  expect(actions.ofKey('g s')?.name).toBe('the sessions');
});
