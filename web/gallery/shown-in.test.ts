import { expect, test } from 'vitest';
import { NOT_SHOWN, SHOWN_IN } from './shown-in.ts';

const sources = import.meta.glob<string>('../src/views/**/*.tsx', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** `FILE NAME` of everything that a view exports and that is called as components are. */
const components = Object.entries(sources).flatMap(([path, source]) => {
  if (path.endsWith('.test.tsx')) return [];
  const file = path.replace('../src/views/', '');
  const exported = source.matchAll(/^export (?:function|const) ([A-Z][a-z]\w*)/gm);
  return [...exported].map(([, name]) => `${file} ${name}`);
});

test('every component that a view exports has a case in the gallery, or a reason for none', () => {
  const known = new Set([...Object.keys(SHOWN_IN), ...Object.keys(NOT_SHOWN)]);
  expect(components.filter((one) => !known.has(one))).toEqual([]);
});

test('nothing is said of components that are gone, and of none that it is and is not shown', () => {
  const there = new Set(components);
  expect(Object.keys(SHOWN_IN).filter((one) => !there.has(one) || one in NOT_SHOWN)).toEqual([]);
  expect(Object.keys(NOT_SHOWN).filter((one) => !there.has(one))).toEqual([]);
});

test('the views are where they are looked for', () => {
  expect(components.length).toBeGreaterThan(100);
});
