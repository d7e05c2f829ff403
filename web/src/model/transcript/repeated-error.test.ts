import { expect, test } from 'vitest';
import type { Reading } from '../../api/types.ts';
import { isSameError } from './repeated-error.ts';

function error(text: string): Reading['error'] {
  const message = { text, chars: text.length, is_json: false, is_truncated: false };
  return { type: 'ToolError', code: null, message };
}

const WHY = '3 of 41 tests failed:  test_refund_rounds_half_up';

test('an error is the same when the other only puts a name before it', () => {
  expect(isSameError(error(WHY), error(WHY.replace('  ', '\n')))).toBe(true);
  expect(isSameError(error(`AgentError: run_tests failed: ${WHY}`), error(WHY))).toBe(true);
});

test('an error that says more, or nothing, is its own', () => {
  expect(isSameError(error(WHY), error(`${WHY}\n${'  at line 7\n'.repeat(20)}`))).toBe(false);
  expect(isSameError(error(''), error(''))).toBe(false);
  expect(isSameError(null, error(WHY))).toBe(false);
});
