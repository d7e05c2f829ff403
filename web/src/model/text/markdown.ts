/**
 * The part of Markdown that models write, as data.
 *
 * Text from a trace is untrusted. Nothing here makes markup: raw HTML stays text, an image or a
 * link is its text with the address beside it. Time is linear in the input but for emphasis, which
 * looks ahead at most `LOOKAHEAD` characters; nesting is bounded.
 */

export type Inline =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'strong' | 'emphasis' | 'struck'; readonly children: readonly Inline[] }
  | { readonly type: 'link' | 'image'; readonly text: string; readonly address: string };

export type Block =
  | { readonly type: 'paragraph'; readonly children: readonly Inline[] }
  | { readonly type: 'heading'; readonly level: number; readonly children: readonly Inline[] }
  | { readonly type: 'code'; readonly language: string; readonly text: string }
  | { readonly type: 'quote'; readonly children: readonly Block[] }
  | { readonly type: 'list'; readonly start: number | undefined; readonly items: readonly Item[] }
  | { readonly type: 'table'; readonly head: readonly Cell[]; readonly rows: readonly Cell[][] }
  | { readonly type: 'rule' };

type Cell = readonly Inline[];

export interface Item {
  /** A task's box; undefined when it is none. */
  readonly checked: boolean | undefined;
  readonly children: readonly Block[];
}

const MAX_DEPTH = 8;
const LOOKAHEAD = 4000;
const MAX_COLUMNS = 50;

export function parseMarkdown(text: string): readonly Block[] {
  return parseBlocks(text.replace(/\r\n?/g, '\n').split('\n'), 0);
}

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$/;
const RULE = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/;
const QUOTE = /^ {0,3}> ?(.*)$/;
const LIST_ITEM = /^( {0,3})([-*+]|(\d{1,9})[.)])(?:( +)(.*))?$/;
const DELIMITER_ROW = /^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

/** What was read, and the line to go on from. */
type Read = readonly [Block, number];

function parseBlocks(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    if (isBlank(lines[at])) {
      at += 1;
      continue;
    }
    const read =
      readFence(lines, at) ??
      readOneLine(lines, at) ??
      (depth < MAX_DEPTH
        ? (readQuote(lines, at, depth) ?? readList(lines, at, depth))
        : undefined) ??
      readTable(lines, at) ??
      readParagraph(lines, at);
    blocks.push(read[0]);
    at = read[1];
  }
  return blocks;
}

function readFence(lines: readonly string[], at: number): Read | undefined {
  const open = FENCE.exec(lines[at] ?? '');
  if (open?.[1] === undefined) return undefined;
  const fence = open[1];
  let end = at + 1;
  // A fence that is never closed runs to the end: an answer that is still being written.
  while (end < lines.length && !isClosing(lines[end] ?? '', fence)) end += 1;
  const text = lines.slice(at + 1, end).join('\n');
  return [{ type: 'code', language: (open[2] ?? '').trim().slice(0, 40), text }, end + 1];
}

function isClosing(line: string, fence: string): boolean {
  const trimmed = line.trim();
  return trimmed.length >= fence.length && trimmed === (fence[0] ?? '`').repeat(trimmed.length);
}

function readOneLine(lines: readonly string[], at: number): Read | undefined {
  const line = lines[at] ?? '';
  if (RULE.test(line)) return [{ type: 'rule' }, at + 1];
  const heading = HEADING.exec(line);
  if (heading?.[1] === undefined) return undefined;
  const children = parseInline(heading[2] ?? '');
  return [{ type: 'heading', level: heading[1].length, children }, at + 1];
}

function readQuote(lines: readonly string[], at: number, depth: number): Read | undefined {
  const inner: string[] = [];
  let end = at;
  for (; end < lines.length; end += 1) {
    const match = QUOTE.exec(lines[end] ?? '');
    if (match === null) break;
    inner.push(match[1] ?? '');
  }
  if (end === at) return undefined;
  return [{ type: 'quote', children: parseBlocks(inner, depth + 1) }, end];
}

function readList(lines: readonly string[], at: number, depth: number): Read | undefined {
  const first = LIST_ITEM.exec(lines[at] ?? '');
  if (first === null) return undefined;
  const isOrdered = first[3] !== undefined;
  const items: Item[] = [];
  let end = at;
  while (end < lines.length) {
    const marker = LIST_ITEM.exec(lines[end] ?? '');
    if (marker === null || (marker[3] !== undefined) !== isOrdered) break;
    const width = (marker[1] ?? '').length + (marker[2] ?? '').length + 1;
    const inner = [marker[5] ?? ''];
    end += 1;
    while (end < lines.length && belongsToItem(lines, end, width)) {
      inner.push(dedent(lines[end] ?? '', width));
      end += 1;
    }
    items.push(toItem(inner, depth));
  }
  return [{ type: 'list', start: isOrdered ? Number(first[3]) : undefined, items }, end];
}

/** Indented lines, and blank lines that are followed by one. */
function belongsToItem(lines: readonly string[], at: number, width: number): boolean {
  const line = lines[at] ?? '';
  if (!isBlank(line)) return indentOf(line) >= Math.min(width, 2);
  const next = lines[at + 1] ?? '';
  return !isBlank(next) && indentOf(next) >= Math.min(width, 2);
}

function toItem(inner: string[], depth: number): Item {
  const task = /^\[([ xX])\]\s+/.exec(inner[0] ?? '');
  if (task !== null) inner[0] = (inner[0] ?? '').slice(task[0].length);
  return {
    checked: task === null ? undefined : task[1] !== ' ',
    children: parseBlocks(inner, depth + 1),
  };
}

function readTable(lines: readonly string[], at: number): Read | undefined {
  const header = lines[at] ?? '';
  if (!header.includes('|') || !DELIMITER_ROW.test(lines[at + 1] ?? '')) return undefined;
  const head = splitRow(header);
  const rows: Cell[][] = [];
  let end = at + 2;
  for (; end < lines.length && (lines[end] ?? '').includes('|'); end += 1) {
    rows.push(splitRow(lines[end] ?? ''));
  }
  return [{ type: 'table', head, rows }, end];
}

function splitRow(line: string): Cell[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  const cells = inner.split(/(?<!\\)\|/).slice(0, MAX_COLUMNS);
  return cells.map((cell) => parseInline(cell.trim().replaceAll('\\|', '|')));
}

function readParagraph(lines: readonly string[], at: number): Read {
  let end = at + 1;
  while (end < lines.length && !startsBlock(lines[end])) end += 1;
  const text = lines.slice(at, end).map((line) => line.trim());
  return [{ type: 'paragraph', children: parseInline(text.join('\n')) }, end];
}

function startsBlock(line = ''): boolean {
  return (
    isBlank(line) ||
    FENCE.test(line) ||
    HEADING.test(line) ||
    RULE.test(line) ||
    QUOTE.test(line) ||
    LIST_ITEM.test(line)
  );
}

const SPECIAL = /[\\`*_~![]/g;

/** `children` of emphasis are parsed again, so nesting is bounded. */
export function parseInline(text: string, depth = 0): Inline[] {
  const out: Inline[] = [];
  let plain = 0;
  let at = 0;
  while (at < text.length) {
    SPECIAL.lastIndex = at;
    const next = SPECIAL.exec(text);
    if (next === null) break;
    at = next.index;
    const read = depth < MAX_DEPTH ? readInline(text, at, depth) : undefined;
    if (read === undefined) {
      at += 1;
      continue;
    }
    pushText(out, text.slice(plain, at));
    out.push(read[0]);
    at = read[1];
    plain = at;
  }
  pushText(out, text.slice(plain));
  return out;
}

function pushText(out: Inline[], text: string): void {
  if (text === '') return;
  const last = out.at(-1);
  if (last?.type === 'text') out[out.length - 1] = { type: 'text', text: last.text + text };
  else out.push({ type: 'text', text });
}

type InlineRead = readonly [Inline, number] | undefined;

function readInline(text: string, at: number, depth: number): InlineRead {
  switch (text[at]) {
    case '\\':
      return /[\\`*_~![\]()#+\-.|>]/.test(text[at + 1] ?? '')
        ? [{ type: 'text', text: text[at + 1] ?? '' }, at + 2]
        : undefined;
    case '`':
      return readCode(text, at);
    case '[':
      return readLink(text, at, 'link');
    case '!':
      return text[at + 1] === '[' ? readLink(text, at + 1, 'image') : undefined;
    case '~':
      return readEmphasis(text, at, '~~', 'struck', depth);
    default: {
      const mark = text[at] ?? '';
      return (
        readEmphasis(text, at, mark + mark, 'strong', depth) ??
        readEmphasis(text, at, mark, 'emphasis', depth)
      );
    }
  }
}

function readCode(text: string, at: number): InlineRead {
  let run = 1;
  while (text[at + run] === '`') run += 1;
  const ticks = '`'.repeat(run);
  const window = text.slice(at + run, at + run + LOOKAHEAD);
  for (let end = window.indexOf(ticks); end >= 0; end = window.indexOf(ticks, end + 1)) {
    if (window[end + run] === '`' || window[end - 1] === '`') continue;
    return [{ type: 'code', text: window.slice(0, end).trim() }, at + run + end + run];
  }
  return undefined;
}

function readLink(text: string, at: number, type: 'link' | 'image'): InlineRead {
  const match = /^\[([^[\]]{0,500})\]\(\s*<?([^\s()<>]{0,2000})>?(?:\s+"[^"]{0,200}")?\s*\)/.exec(
    text.slice(at, at + 3000),
  );
  if (match === null) return undefined;
  return [{ type, text: match[1] ?? '', address: match[2] ?? '' }, at + match[0].length];
}

function readEmphasis(
  text: string,
  at: number,
  mark: string,
  type: 'strong' | 'emphasis' | 'struck',
  depth: number,
): InlineRead {
  const start = at + mark.length;
  if (!text.startsWith(mark, at) || /^$|\s/.test(text[start] ?? '')) return undefined;
  const isWordMark = mark.startsWith('_');
  // `snake_case_names` are names.
  if (isWordMark && /\w/.test(text[at - 1] ?? '')) return undefined;
  const window = text.slice(start, start + LOOKAHEAD);
  for (let end = window.indexOf(mark, 1); end > 0; end = window.indexOf(mark, end + 1)) {
    const after = window[end + mark.length] ?? '';
    if (/\s|\\/.test(window[end - 1] ?? '')) continue;
    if (isWordMark && /\w/.test(after)) continue;
    if (mark.length === 1 && (after === mark || window[end - 1] === mark)) continue;
    const children = parseInline(window.slice(0, end), depth + 1);
    return [{ type, children }, start + end + mark.length];
  }
  return undefined;
}

function isBlank(line = ''): boolean {
  return line.trim() === '';
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function dedent(line: string, width: number): string {
  return line.slice(Math.min(width, indentOf(line)));
}
