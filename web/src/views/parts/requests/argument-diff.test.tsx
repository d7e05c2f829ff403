// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { diffTexts } from '../../../model/text/text-diff.ts';
import { ArgumentDiff } from './argument-diff.tsx';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

test('a diff that scrolls takes the focus, one that fits is no stop of Tab', () => {
  const height = vi.spyOn(Element.prototype, 'scrollHeight', 'get').mockReturnValue(0);
  const { rerender } = render(<ArgumentDiff diff={diffTexts('a', 'b')} />);
  const diff = screen.getByRole('region', { name: 'Changes' });
  expect(diff.tabIndex).toBe(-1);
  height.mockReturnValue(900);
  rerender(<ArgumentDiff diff={diffTexts('a', 'c')} />);
  expect(diff.tabIndex).toBe(0);
});
