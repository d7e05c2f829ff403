import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

import { Redactor } from '../src/redaction/redactor.js';
import { isSecretAttribute, scrubbed } from '../src/redaction/secrets.js';
import { PYTHON, REPOSITORY } from './support/service-process.js';

test('redaction is what it is in Python, for every published token and text of its tests', () => {
  const command = ['-m', 'tests.support.telemetry.redaction_cases'];
  const json = execFileSync(PYTHON, command, { cwd: REPOSITORY, maxBuffer: 2 ** 26 });
  const { texts, keys } = JSON.parse(json.toString()) as {
    texts: [string, string][];
    keys: [string, boolean][];
  };
  expect(texts.length).toBeGreaterThan(3_000);
  const wrong = texts.filter(([text, clean]) => scrubbed(text) !== clean);
  expect(wrong.map(([text, clean]) => ({ text, python: clean, here: scrubbed(text) }))).toEqual([]);
  expect(keys.filter(([key, isSecret]) => isSecretAttribute(key) !== isSecret)).toEqual([]);
});

test('values under names of secrets go, and what stands behind a flag', () => {
  const value = { user: 'ada', api_key: 'hunter2', argv: ['run', '--token', 'abc'], at: 1 };
  expect(new Redactor().value('', value)).toEqual({
    user: 'ada',
    api_key: '[redacted]',
    argv: ['run', '--token', '[redacted]'],
    at: 1,
  });
});

test('rules of the user run last, and a call-back that throws costs the string', () => {
  expect(new Redactor([/CUST-\d+/], (text) => text.replace('Joe', 'J.')).text('Joe CUST-1')).toBe(
    'J. [redacted]',
  );
  const broken = new Redactor([], () => {
    throw new Error();
  });
  expect(broken.text('Joe')).toBe('[redacted]');
});

test('the cost of hostile text grows with its length only', () => {
  const cost = (count: number) => {
    const text = `key : ' @ ${'api_key sk-a eyJaaaaaaaa. '.repeat(count)}`;
    const times = Array.from({ length: 5 }, () => {
      const began = performance.now();
      scrubbed(text);
      return performance.now() - began;
    });
    return Math.min(...times);
  };
  cost(400);
  expect(cost(3_200)).toBeLessThan(24 * cost(400));
});
