/**
 * Markdown as a tree, for untrusted text that may still grow.
 *
 * Tags stay text: the parser does not know HTML. Definitions and footnotes stay where they are
 * written, so no text is hidden, and a block that another one follows never changes.
 */
import type { RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

const OPTIONS = {
  extensions: [
    gfm(),
    {
      disable: {
        null: [
          'htmlFlow',
          'htmlText',
          'definition',
          'gfmFootnoteDefinition',
          'gfmFootnoteCall',
          'gfmPotentialFootnoteCall',
        ],
      },
    },
  ],
  mdastExtensions: [gfmFromMarkdown()],
};

/** A text and its blocks; `starts` are the indexes of their first lines. */
interface Read {
  readonly text: string;
  readonly blocks: readonly RootContent[];
  readonly starts: readonly number[];
}

/** Texts parsed last, the newest at the end: rows come back into view, and a message grows. */
const cache = new Map<string, Read>();
const MAX_CACHED = 64;

/** Characters that are parsed and drawn within a frame or two. */
const SLICE = 4_000;

/** The end of the slice of a text after `end`: of what is one long block, twice as much. */
export function nextSlice(text: string, end: number): number {
  if (cache.has(text)) return text.length;
  const { blocks, starts } = cache.get(text.slice(0, end)) ?? { blocks: [], starts: [] };
  return end + Math.max(SLICE, end - (starts[blocks.length - 2] ?? starts[0] ?? 0));
}

/**
 * The blocks of a text up to `end`; undefined for one that is shown as it is, because it is too
 * tangled.
 *
 * Of a text that goes on where one before it ended, all blocks but the last two are the same objects.
 */
export function markdownBlocks(
  whole: string,
  end = whole.length,
): readonly RootContent[] | undefined {
  if (isTangled(whole)) return undefined;
  const text = whole.slice(0, end);
  const read = cache.get(text) ?? readMarkdown(text, longestBeginning(text));
  cache.delete(text);
  cache.set(text, read);
  const [oldest] = cache.keys();
  if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
  return read.blocks;
}

function longestBeginning(text: string): Read | undefined {
  let found: Read | undefined;
  for (const read of cache.values()) {
    if (read.text.length > (found?.text.length ?? 0) && text.startsWith(read.text)) found = read;
  }
  if (found !== undefined) cache.delete(found.text);
  return found;
}

/**
 * Parse a text; `before` is its beginning as parsed earlier.
 *
 * The last two blocks are parsed again: an incomplete line may belong to the block before it.
 */
export function readMarkdown(text: string, before?: Read): Read {
  const same = Math.max(0, (before?.blocks.length ?? 0) - 2);
  const from = before?.starts[same] ?? 0;
  // One mark of byte order at the beginning is dropped, and it is this one.
  const blocks = fromMarkdown(`\ufeff${text.slice(from)}`, OPTIONS).children;
  return {
    text,
    blocks: [...(before?.blocks.slice(0, same) ?? []), ...blocks],
    starts: [
      ...(before?.starts.slice(0, same) ?? []),
      ...blocks.map((block) => from + lineStart(block)),
    ],
  };
}

function lineStart({ position }: RootContent): number {
  return position === undefined ? 0 : (position.start.offset ?? 0) - position.start.column + 1;
}

const MAX_NESTED = 20;
const NESTED = new RegExp(`^(?:[ \\t]*(?:>|(?:[-*+]|\\d{1,9}[.)])[ \\t])){${MAX_NESTED}}`, 'm');
const MAX_MARKS = 1000;

/** Whether parsing may take longer than the length suggests; no ordinary message is like that. */
function isTangled(text: string): boolean {
  return (
    NESTED.test(text) ||
    text
      .split(/\n[ \t]*\n/)
      .some((paragraph) => (paragraph.match(/[*_~]+|\[/g)?.length ?? 0) > MAX_MARKS)
  );
}
