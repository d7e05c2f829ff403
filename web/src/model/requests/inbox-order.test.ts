import { expect, test } from 'vitest';
import { type InboxOrder, inboxOrder } from './inbox-order.ts';

const order = (before: string, pending: string, values: Partial<InboxOrder> = {}) =>
  inboxOrder({
    before: [...before],
    pending: [...pending],
    isKnown: () => true,
    inUse: [],
    ...values,
  }).join('');

test('open requests are in order of urgency, closed ones below them, the last closed first', () => {
  expect(order('', 'abc')).toBe('abc');
  expect(order('abc', 'xac')).toBe('xacb');
  expect(order('xacb', 'xc')).toBe('xcab');
  expect(order('xcab', 'xc', { isKnown: (id) => id !== 'a' })).toBe('xcb');
});

test('a row that somebody points at or has focused stays where it is', () => {
  expect(order('abc', 'xyabc', { inUse: ['b', undefined] })).toBe('xbyac');
  expect(order('abcd', 'xbd', { inUse: ['a', 'c'] })).toBe('axcbd');
  expect(order('abc', 'xabc', { inUse: ['x'] }), 'not shown yet').toBe('xabc');
  expect(order('abc', 'bc', { inUse: ['a'], isKnown: () => false }), 'forgotten').toBe('bc');
});
