import { expect, test } from 'vitest';
import { ServerClock } from './server-clock.ts';

test('the sample that took least to arrive is the best', () => {
  let local_ms = 1000;
  const clock = new ServerClock(() => local_ms);
  clock.observe('5000000000'); // 5 000 ms there when it is 1 000 here
  local_ms = 2000;
  clock.observe('5900000000'); // took 100 ms longer
  expect(clock.now_ms()).toBe(6000);
});

test('before the first sample it is our own clock', () => {
  expect(new ServerClock(() => 123).now_ms()).toBe(123);
});

test('an offset is counted from the epoch', () => {
  const clock = new ServerClock(() => 1_795_304_591_200);
  expect(clock.nowOffset_ns('1795304591191073280')).toBe(8_926_720);
});

test('it stands still while nothing is heard of the service, and goes on from the present', () => {
  let local_ms = 1000;
  const clock = new ServerClock(() => local_ms);
  clock.observe('5000000000');
  clock.hold();
  local_ms = 8000;
  clock.hold(); // it stands already
  expect(clock.now_ms()).toBe(5000);
  clock.release();
  expect(clock.now_ms()).toBe(12_000);
});
