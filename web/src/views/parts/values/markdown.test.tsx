// @vitest-environment jsdom
import { cleanup, render, waitFor } from '@testing-library/react';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import MarkdownOrPlain from './markdown.tsx';

afterEach(cleanup);

const Markdown = ({ text }: { readonly text: string }) => (
  <MarkdownOrPlain text={text} plain={text} />
);

const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '![x](https://evil.example/pixel.png)',
  '[x](javascript:alert(1))',
  '<a href="https://evil.example">here</a>',
  '<svg onload=alert(1)>',
  '<iframe src="//evil.example"></iframe>',
  '<style>*{display:none}</style>',
];

test('nothing in a text becomes a picture, a link, a script or a frame', () => {
  const pieces = fc.array(fc.constantFrom(...HOSTILE, '\n\n', '**', '`', '> ', '- ', '| a | b |'));
  fc.assert(
    fc.property(pieces, (parts) => {
      const { container } = render(<Markdown text={parts.join('\n')} />);
      expect(container.querySelector('img, a, script, iframe, style, object, [onload]')).toBeNull();
      cleanup();
    }),
    { numRuns: 60 },
  );
});

test('the address of a link is there to read', () => {
  const { container } = render(<Markdown text="see [guide](https://example.com/guide)" />);
  expect(container.textContent).toContain('https://example.com/guide');
});

test('an address alone is written once, and one that says something else twice', () => {
  const { container } = render(<Markdown text="www.a.example, <https://b.example> and [b](c)" />);
  expect(container.textContent).toBe('www.a.example, https://b.example and b c');
});

test('a table and a code block are elements', () => {
  const { container } = render(<Markdown text={'| a |\n|---|\n| 1 |\n\n```py\nx = 1\n```'} />);
  expect(container.querySelector('td')?.textContent).toBe('1');
  expect(container.querySelector('pre')?.textContent).toBe('x = 1');
});

const COUNT = 1500;
const ENOUGH = { timeout: 50_000 };

const paragraphsOf = (word: string) =>
  Array.from({ length: COUNT }, (_, at) => `${word} **${at}**`).join('\n\n');

test('a long text comes in slices, and ends as the whole', async () => {
  const list = Array.from({ length: COUNT }, (_, at) => `- item ${at}`);
  const { container } = render(
    <Markdown text={`${paragraphsOf('paragraph')}\n\n${list.join('\n')}`} />,
  );
  const count = () => container.querySelectorAll('strong, li').length;
  expect(count()).toBeGreaterThan(100);
  expect(count()).toBeLessThan(1000);
  await waitFor(() => expect(count()).toBe(2 * COUNT), ENOUGH);
  expect(container.querySelectorAll('ul')).toHaveLength(1);
});

test('a long text that replaces another comes in slices, and one that goes on stays', async () => {
  const { container, rerender } = render(<Markdown text={paragraphsOf('first')} />);
  const count = () => container.querySelectorAll('strong').length;
  await waitFor(() => expect(count()).toBe(COUNT), ENOUGH);
  rerender(<Markdown text={`${paragraphsOf('first')}\n\n**more**`} />);
  expect(count()).toBeGreaterThanOrEqual(COUNT);
  rerender(<Markdown text={paragraphsOf('second')} />);
  expect(container.textContent).not.toContain('first');
  expect(count()).toBeLessThan(1000);
  await waitFor(() => expect(count()).toBe(COUNT), ENOUGH);
});
