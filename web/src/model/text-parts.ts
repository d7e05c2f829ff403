/** A long text in parts that can be laid out at once: cut where a line ends, if one does. */

export interface TextPart {
  readonly from: number;
  readonly to: number;
}

export const PART_CHARACTERS = 32_000;

export function partsOf(text: string, size = PART_CHARACTERS): TextPart[] {
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
