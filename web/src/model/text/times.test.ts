import { afterEach, expect, test, vi } from 'vitest';
import { rfc3339, Times } from './times.ts';

// The zone of the browser: a quarter past six hours east, as in Kathmandu.
function inKathmandu(): void {
  vi.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(-345);
}

afterEach(() => vi.restoreAllMocks());

const NOW_MS = Date.parse('2026-06-01T12:00:00Z');

test.each([
  ['utc', '2026-06-01T09:05:07.120Z', '09:05:07', '09:05:07.120', '2026-06-01 09:05:07.120 UTC'],
  [
    'local',
    '2026-06-01T09:05:07.120Z',
    '14:50:07',
    '14:50:07.120',
    '2026-06-01 14:50:07.120 UTC+05:45',
  ],
  ['utc', '2026-05-31T20:00:00Z', '31 May 20:00', '20:00:00.000', '2026-05-31 20:00:00.000 UTC'],
  [
    'local',
    '2026-05-31T20:00:00Z',
    '01:45:00',
    '01:45:00.000',
    '2026-06-01 01:45:00.000 UTC+05:45',
  ],
  ['utc', '2025-12-31T20:00:00Z', '31 Dec 2025', '20:00:00.000', '2025-12-31 20:00:00.000 UTC'],
  [
    'local',
    '2025-12-31T20:00:00Z',
    '1 Jan 01:45',
    '01:45:00.000',
    '2026-01-01 01:45:00.000 UTC+05:45',
  ],
  ['utc', 'never', 'never', 'never', 'never'],
] as const)('in the zone %s, %s is %s', (zone, at, when, ofDay, exactly) => {
  inKathmandu();
  const times = new Times(zone, 'absolute');
  expect([times.when(at, NOW_MS), times.ofDay(at), times.exactly(at)]).toEqual([
    when,
    ofDay,
    exactly,
  ]);
});

test.each([
  [-5000, 'just now'],
  [59_000, 'just now'],
  [61_000, '1 min ago'],
  [3_599_000, '59 min ago'],
  [7_200_000, '2 h ago'],
  [2 * 86_400_000, '2 d ago'],
  [31 * 86_400_000, '1 May 12:00'],
])('what was %d ms ago is %s', (age_ms, text) => {
  const at = new Date(NOW_MS - age_ms).toISOString();
  expect(new Times('utc', 'relative').when(at, NOW_MS)).toBe(text);
});

test('an axis is as exact as its bars, and a range names its day once', () => {
  const times = new Times('utc', 'relative');
  const at_ms = Date.parse('2026-11-22T14:05:00Z');
  expect(times.onAxis(at_ms, 3_600_000, 60_000)).toBe('14:05');
  expect(times.onAxis(at_ms, 60_000, 1000)).toBe('14:05:00');
  expect(times.onAxis(at_ms, 3 * 86_400_000, 3_600_000)).toBe('22 Nov 14:05');
  expect(times.onAxis(at_ms, 400 * 86_400_000, 86_400_000)).toBe('22 Nov 2026');
  expect(times.range(at_ms, at_ms + 900_000)).toBe('22 Nov 14:05 – 14:20');
  expect(times.range(at_ms, at_ms + 86_400_500)).toBe('22 Nov 14:05:00 – 23 Nov 14:05:00');
});

test('an offset from Unix nanoseconds is a time, if a calendar has it', () => {
  expect(rfc3339('1700000000000000000', 5e6)).toBe('2023-11-14T22:13:20.005Z');
  expect(rfc3339('9999999999999999999999', 0)).toBe('');
});
