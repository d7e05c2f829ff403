import { expect, test } from 'vitest';
import { keyName } from './key-names.ts';

test('keys are named as they are written on the keyboard', () => {
  expect(
    ['e', 'g w', 'Escape', 'ArrowDown', '[', '?', ' ', '-'].map((key) => keyName(key)),
  ).toEqual(['E', 'G W', 'Esc', '↓', '[', '?', 'Space', '−']);
});

test('the key of the system has the name that the system gives it', () => {
  expect(keyName('mod+k', true)).toBe('⌘K');
  expect(keyName('mod+k', false)).toBe('Ctrl K');
});
