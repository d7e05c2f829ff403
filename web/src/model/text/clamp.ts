/** The beginning of a long text: short enough to lay out at once, cut where a line or word ends. */

const MAX_CHARACTERS = 3000;
const MAX_LINES = 40;
/** So little more is not worth a click. */
const SLACK = 1.25;

export function clampText(text: string): string {
  const end = Math.min(endOfLine(text, MAX_LINES), MAX_CHARACTERS);
  if (text.length <= end * SLACK && endOfLine(text, MAX_LINES * SLACK) >= text.length) return text;
  const cut = text.slice(0, end);
  const space = Math.max(cut.lastIndexOf('\n'), cut.lastIndexOf(' '));
  const at = space > end * 0.8 ? space : end;
  // Never half of a surrogate pair.
  const isHalf = /[\ud800-\udbff]/.test(text[at - 1] ?? '');
  return text.slice(0, isHalf ? at - 1 : at);
}

/** Index after the n-th line, or the whole length. */
function endOfLine(text: string, lines: number): number {
  let at = -1;
  for (let line = 0; line < lines; line += 1) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) return text.length;
  }
  return at;
}
