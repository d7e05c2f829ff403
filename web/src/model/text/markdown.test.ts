import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { expect, test } from 'vitest';
import { markdownBlocks, readMarkdown } from './markdown.ts';

/** A tree as nested lists: `['strong', 'words']`. */
function shape(node: Nodes): unknown {
  if ('children' in node) return [node.type, ...node.children.map(shape)];
  if (node.type === 'text') return node.value;
  return 'value' in node ? [node.type, node.value] : [node.type];
}

const shapes = (text: string) => markdownBlocks(text)?.map(shape);

test('the usual blocks are recognised', () => {
  const text =
    '# Title\n\nWords\n\n- one\n- two\n\n1. first\n\n```py\nx = 1\n```\n\n> said\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |';
  expect(markdownBlocks(text)?.map((block) => block.type)).toEqual([
    'heading',
    'paragraph',
    'list',
    'list',
    'code',
    'blockquote',
    'thematicBreak',
    'table',
  ]);
});

test.each([
  ['***both***', [['emphasis', ['strong', 'both']]]],
  ['call run_all_tests now', ['call run_all_tests now']],
  ['2 * 3 * 4', ['2 * 3 * 4']],
  ['use `**kwargs`', ['use ', ['inlineCode', '**kwargs']]],
  ['~~old~~', [['delete', 'old']]],
  ['see https://a.example/b_c_d.', ['see ', ['link', 'https://a.example/b_c_d'], '.']],
  ['<https://a.example>', [['link', 'https://a.example']]],
  ['<b>x</b> <!-- y --> <img src=x>', ['<b>x</b> <!-- y --> <img src=x>']],
  ['a [note][1] and[^1]', ['a [note][1] and[^1]']],
])('a paragraph of %s', (text, children) => {
  expect(shapes(text)).toEqual([['paragraph', ...children]]);
});

test('what a page would not show is shown where it is written', () => {
  expect(shapes('<div>\n**a**\n</div>\n\n[1]: /b\n\n[^1]: c')).toEqual([
    ['paragraph', '<div>\n', ['strong', 'a'], '\n</div>'],
    ['paragraph', '[1]: /b'],
    ['paragraph', '[^1]: c'],
  ]);
});

test('an answer that is cut inside a fence is code to its end', () => {
  expect(markdownBlocks('so:\n```js\nlet a = 1;\nlet')?.[1]).toMatchObject({
    type: 'code',
    lang: 'js',
    value: 'let a = 1;\nlet',
  });
});

test('lists keep their order, their boxes and their empty lines', () => {
  expect(markdownBlocks('- [x] done\n  - inner\n- [ ] open')).toMatchObject([
    {
      spread: false,
      children: [{ checked: true, children: [{}, { type: 'list' }] }, { checked: false }],
    },
  ]);
  expect(markdownBlocks('3. one\n\n4. two\n\n   more')).toMatchObject([
    { start: 3, spread: true, children: [{}, { children: [{}, { type: 'paragraph' }] }] },
  ]);
});

test('a cell of code holds a pipe', () => {
  expect(shapes('| a | b |\n|---|---|\n| `x \\| y` | 2 |')?.[0]).toMatchObject([
    'table',
    {},
    ['tableRow', ['tableCell', ['inlineCode', 'x | y']], ['tableCell', '2']],
  ]);
});

const soup = fc.array(
  fc.constantFrom(
    ...['*', '**', '_', '`', '```', '[', ']', '(', ')', '!', '>', '- ', '1. ', '|', '\n', '\n\n'],
    ...[
      ' ',
      '    ',
      '# ',
      '~~',
      '\\',
      'word',
      '---',
      '===',
      '\t',
      '<',
      ':',
      '|-',
      '\ufeff',
      '\r\n',
      '\r',
    ],
  ),
  { maxLength: 80 },
);

test('any text is read, and no word of it is lost', () => {
  fc.assert(
    fc.property(soup, (tokens) => {
      const text = tokens.join('');
      const count = (string: string) => string.split('word').length - 1;
      expect(count(JSON.stringify(markdownBlocks(text)))).toBe(count(text));
    }),
  );
});

test('a text that grows is read as if it had come whole, and its first blocks stay the same', () => {
  const whereverItIs = (key: string, value: unknown) => (key === 'position' ? undefined : value);
  fc.assert(
    fc.property(soup, fc.nat(300), (tokens, cut) => {
      const text = tokens.join('');
      // An item without words: the library takes some for text, depending on what is before.
      fc.pre(!/(^|[ \t>])([-*]|1\.)[ \t]*$/m.test(text));
      const before = readMarkdown(text.slice(0, cut));
      const grown = readMarkdown(text, before);
      const whole = readMarkdown(text);
      expect(JSON.stringify(grown.blocks, whereverItIs)).toBe(
        JSON.stringify(whole.blocks, whereverItIs),
      );
      expect(grown.starts).toEqual(whole.starts);
      const same = before.blocks.slice(0, -2);
      expect(grown.blocks.slice(0, same.length).every((block, at) => block === same[at])).toBe(
        true,
      );
    }),
    { numRuns: 1000 },
  );
});

test.each(['>', '- > ', '1) ', '*a', '*a_ ', 'a**b', '~~a', '[', '[a](', '[a]'])(
  'so much of %j is shown as it is',
  (piece) => {
    expect(markdownBlocks(piece.repeat(5000))).toBeUndefined();
  },
);
