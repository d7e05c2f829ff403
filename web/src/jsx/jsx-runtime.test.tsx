// @vitest-environment jsdom
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';

afterEach(cleanup);

const NAME = 'pay\u202eexe\0';
const SEEN = 'pay[U+202E]exe[U+0000]';

function Named({ name }: { readonly name: string }) {
  return name.length === 8 ? (
    <>
      <b />
      {name}
    </>
  ) : null;
}

test.each([
  ['a text', <p key="1">{NAME}</p>],
  ['one of several', <p key="2">a {NAME} b</p>],
  ['a list', <p key="3">{['x', [NAME]]}</p>],
  ['what a component was given', <Named key="4" name={NAME} />],
])('what is never seen is written out in %s', (_, element) => {
  expect(render(element).container.textContent).toContain(SEEN);
});

test('what is never seen is written out in titles and labels, and no value is changed', () => {
  const { container } = render(
    <input title={NAME} aria-label={`Show ${NAME}`} value={NAME} readOnly />,
  );
  const input = container.querySelector('input');
  expect([input?.title, input?.getAttribute('aria-label')]).toEqual([SEEN, `Show ${SEEN}`]);
  expect(input?.value).toBe(NAME);
});

test('what is seen stays the very same', () => {
  const text = 'ä 👩‍👩‍👧 ❤️ नमस्ते\n\t10\u202fms';
  expect(render(<p title={text}>{text}</p>).container.textContent).toBe(text);
});
