import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  clampText,
  formatBytes,
  formatCost,
  formatCount,
  formatDuration,
  formatGrowing,
  formatOffset,
  formatRunning,
  plural,
} from './format.ts';

test.each([
  [0, '0 ns'],
  [999, '999 ns'],
  [340_000, '340 µs'],
  [12_400_000, '12.4 ms'],
  [999_600_000, '1 s'],
  [1_240_000_000, '1.24 s'],
  [59_960_000_000, '1m 00s'],
  [134e9, '2m 14s'],
  [3780e9, '1h 03m'],
  [187_200e9, '2d 4h'],
  [-5_000_000, '−5 ms'],
])('%d ns reads %s', (ns, text) => {
  expect(formatDuration(ns)).toBe(text);
});

test('what runs counts seconds, and never backwards from zero', () => {
  expect(formatRunning(41.9e9)).toBe('41 s');
  expect(formatRunning(-1e9)).toBe('0 s');
  expect(formatGrowing(0.46e9)).toBe('0.4 s');
  expect(formatGrowing(75e9)).toBe('1m 15s');
});

test.each([
  [0, '0'],
  [1204, '1\u202f204'],
  [48_211, '48.2 k'],
  [999_600, '1 M'],
  [1_290_000, '1.29 M'],
])('%d is counted as %s', (count, text) => {
  expect(formatCount(count)).toBe(text);
});

test.each([
  [0, '$0'],
  [0.00002, '<$0.0001'],
  [0.0004, '$0.0004'],
  [0.2149, '$0.21'],
  [12.4, '$12.40'],
])('%d USD costs %s', (usd, text) => {
  expect(formatCost(usd)).toBe(text);
});

test('bytes and plurals', () => {
  expect(formatBytes(312)).toBe('312 B');
  expect(formatBytes(30_720)).toBe('30.7 kB');
  expect(plural(1, 'span')).toBe('1 span');
  expect(plural(2, 'span')).toBe('2 spans');
});

test('what began before zero has one sign', () => {
  expect(formatOffset(0)).toBe('+0 s');
  expect(formatOffset(12_400_000)).toBe('+12.4 ms');
  expect(formatOffset(-192_000_000)).toBe('−192 ms');
});

test('a short text is whole', () => {
  expect(clampText('one\ntwo')).toBe('one\ntwo');
});

test('a long text is cut at a word', () => {
  const clamped = clampText('word '.repeat(2000));
  expect(clamped.length).toBeLessThan(3001);
  expect(clamped.endsWith('word')).toBe(true);
});

test('many lines are cut at a line', () => {
  expect(clampText('line\n'.repeat(500)).split('\n').length).toBeLessThan(42);
});

test('what is shown is the beginning, and never half of a character', () => {
  const unit = fc.constantFrom('😀', 'ab', ' ', '\n');
  fc.assert(
    fc.property(fc.array(unit, { minLength: 1000, maxLength: 4000 }), (units) => {
      const text = units.join('');
      const clamped = clampText(text);
      expect(text.startsWith(clamped)).toBe(true);
      expect(clamped).not.toMatch(/[\ud800-\udbff]$/);
    }),
    { numRuns: 30 },
  );
});
