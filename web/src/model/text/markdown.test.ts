import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Block, type Inline, parseInline, parseMarkdown } from './markdown.ts';

function words(inlines: readonly Inline[]): string {
  return inlines
    .map((inline) => ('children' in inline ? words(inline.children) : inline.text))
    .join('');
}

function depthOf(blocks: readonly Block[]): number {
  const inner = blocks.map((block) => {
    if (block.type === 'quote') return 1 + depthOf(block.children);
    if (block.type === 'list')
      return 1 + Math.max(0, ...block.items.map((item) => depthOf(item.children)));
    return 0;
  });
  return Math.max(0, ...inner);
}

test('the usual blocks are recognised', () => {
  const text =
    '# Title\n\nWords\n\n- one\n- two\n\n1. first\n\n```py\nx = 1\n```\n\n> said\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |';
  expect(parseMarkdown(text).map((block) => block.type)).toEqual([
    'heading',
    'paragraph',
    'list',
    'list',
    'code',
    'quote',
    'rule',
    'table',
  ]);
});

test('markup stays text', () => {
  const [block] = parseMarkdown('<script>alert(1)</script> <img src=x onerror=y>');
  expect(block).toEqual({
    type: 'paragraph',
    children: [{ type: 'text', text: '<script>alert(1)</script> <img src=x onerror=y>' }],
  });
});

test('an image and a link are their text and their address', () => {
  expect(parseInline('![pixel](https://evil.example/p.png) and [here](javascript:alert)')).toEqual([
    { type: 'image', text: 'pixel', address: 'https://evil.example/p.png' },
    { type: 'text', text: ' and ' },
    { type: 'link', text: 'here', address: 'javascript:alert' },
  ]);
});

test('emphasis nests, and snake_case_names are names', () => {
  expect(parseInline('**bold *both***')[0]).toMatchObject({ type: 'strong' });
  expect(parseInline('call run_all_tests now')).toEqual([
    { type: 'text', text: 'call run_all_tests now' },
  ]);
  expect(parseInline('2 * 3 * 4')).toEqual([{ type: 'text', text: '2 * 3 * 4' }]);
});

test('code keeps its marks', () => {
  expect(parseInline('use `**kwargs`')).toEqual([
    { type: 'text', text: 'use ' },
    { type: 'code', text: '**kwargs' },
  ]);
});

test('an answer that is cut inside a fence is code to its end', () => {
  expect(parseMarkdown('so:\n```js\nlet a = 1;\nlet')[1]).toEqual({
    type: 'code',
    language: 'js',
    text: 'let a = 1;\nlet',
  });
});

test('nested lists keep their order and their boxes', () => {
  const [list] = parseMarkdown('- [x] done\n  - inner\n- [ ] open');
  expect(list).toMatchObject({
    type: 'list',
    items: [{ checked: true, children: [{}, { type: 'list' }] }, { checked: false }],
  });
});

const soup = fc.array(
  fc.constantFrom(
    '*',
    '**',
    '_',
    '`',
    '```',
    '[',
    ']',
    '(',
    ')',
    '!',
    '>',
    '- ',
    '1. ',
    '|',
    '\n',
    '\n\n',
    ' ',
    '    ',
    '# ',
    '~~',
    '\\',
    'word',
    '---',
  ),
  { maxLength: 80 },
);

test('any text is read, and no word of it is lost', () => {
  fc.assert(
    fc.property(soup, (tokens) => {
      const text = tokens.join('');
      const count = (string: string) => string.split('word').length - 1;
      expect(count(JSON.stringify(parseMarkdown(text)))).toBe(count(text));
    }),
  );
});

test('inline text without marks is itself', () => {
  fc.assert(
    fc.property(
      fc.string().filter((text) => !/[\\`*_~![\]]/.test(text)),
      (text) => {
        expect(words(parseInline(text))).toBe(text);
      },
    ),
  );
});

test('hostile nesting is bounded', () => {
  expect(depthOf(parseMarkdown('>'.repeat(5000)))).toBeLessThanOrEqual(8);
  expect(parseInline('*a'.repeat(5000)).length).toBeGreaterThan(0);
  expect(parseInline('['.repeat(20_000)).length).toBe(1);
});
