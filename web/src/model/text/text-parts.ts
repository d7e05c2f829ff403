/** A long text in parts that can be laid out at once, split at line ends where possible. */

interface TextPart {
  readonly from: number;
  readonly to: number;
}

export function partsOf(text: string, size: number): TextPart[] {
  const parts: TextPart[] = [];
  for (let from = 0; from < text.length; ) {
    const to = endOfPart(text, from, size);
    parts.push({ from, to });
    from = to;
  }
  return parts.length === 0 ? [{ from: 0, to: 0 }] : parts;
}

function endOfPart(text: string, from: number, size: number): number {
  const most = from + size;
  if (most >= text.length) return text.length;
  // In a piece only: a text without lines would be looked through from its start for each part.
  const line = text.slice(from, most).lastIndexOf('\n') + 1;
  if (line > size / 2) return from + line;
  // Never half of a surrogate pair.
  const isHalf = /[\ud800-\udbff]/.test(text[most - 1] ?? '');
  return isHalf && most - 1 > from ? most - 1 : most;
}

/** Limit of what is shown without a click, in data that a person decides about. */
const FIRST_CHARACTERS = 6000;
const FIRST_LINES = 60;

/** Index of the end of a text's beginning; its length for a short text. */
export function beginningOf(text: string): number {
  const lines = endOfLines(text, FIRST_LINES);
  return lines <= FIRST_CHARACTERS ? lines : endOfPart(text, 0, FIRST_CHARACTERS);
}

/** Index after the n-th line, or the whole length. */
function endOfLines(text: string, count: number): number {
  let at = -1;
  for (let line = 0; line < count; line += 1) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) return text.length;
  }
  return at;
}
