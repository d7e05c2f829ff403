/**
 * Line diff of an edit, with the changed part of each line.
 *
 * Work is bounded: equal lines at both ends are passed over, between them Myers' O(ND) algorithm
 * (1986) runs up to `MAX_DISTANCE` and else the whole part counts as replaced. Lines of any length
 * are compared by their common beginning and end.
 */

export interface ChangedLine {
  readonly kind: 'same' | 'removed' | 'added';
  /** Line number in its own text, from 1. */
  readonly number: number;
  readonly text: string;
  /** Range of the changed part; of a line without a counterpart, all of it. */
  readonly from: number;
  readonly to: number;
}

/** Adjacent changed lines, with their context. */
interface Hunk {
  readonly lines: readonly ChangedLine[];
}

export interface TextDiff {
  readonly hunks: readonly Hunk[];
  /** Number of edits: each changed line, each block that came or went. 0: the texts are the same. */
  readonly editCount: number;
}

const CONTEXT = 2;
const MAX_DISTANCE = 400;

/** `removed` lines of the old text become `added` lines of the new one, from these indexes on. */
interface Edit {
  readonly before: number;
  readonly removed: number;
  readonly after: number;
  readonly added: number;
}

export function diffTexts(before: string, after: string): TextDiff {
  if (before === after) return { hunks: [], editCount: 0 };
  const a = before.split('\n');
  const b = after.split('\n');
  const edits = editsOf(a, b);
  return {
    hunks: hunksOf(edits, a, b),
    editCount: edits.reduce((sum, one) => sum + count(one), 0),
  };
}

/** Whether lines were changed one by one: as many were removed as added. */
function isPaired({ removed, added }: Edit): boolean {
  return removed === added;
}

function count(edit: Edit): number {
  return isPaired(edit) ? edit.removed : 1;
}

function editsOf(a: readonly string[], b: readonly string[]): Edit[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  const most = Math.min(a.length, b.length) - start;
  while (end < most && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const middleA = a.slice(start, a.length - end);
  const middleB = b.slice(start, b.length - end);
  return between(middleA, middleB).map((edit) => ({
    ...edit,
    before: edit.before + start,
    after: edit.after + start,
  }));
}

function between(a: readonly string[], b: readonly string[]): Edit[] {
  const whole = { before: 0, removed: a.length, after: 0, added: b.length };
  if (a.length === 0 || b.length === 0) return [whole];
  const path = shortestPath(a, b);
  return path === undefined ? [whole] : joined(path);
}

/** Pairs of equal lines, in order; undefined if the texts differ too much. */
function shortestPath(a: readonly string[], b: readonly string[]): [number, number][] | undefined {
  const most = Math.min(MAX_DISTANCE, a.length + b.length);
  const offset = most + 1;
  const reach = new Int32Array(2 * most + 3);
  const trail: Int32Array[] = [];
  for (let distance = 0; distance <= most; distance += 1) {
    trail.push(reach.slice(offset - distance - 1, offset + distance + 2));
    for (let k = -distance; k <= distance; k += 2) {
      const isDown =
        k === -distance ||
        (k !== distance && (reach[offset + k - 1] ?? 0) < (reach[offset + k + 1] ?? 0));
      let x = isDown ? (reach[offset + k + 1] ?? 0) : (reach[offset + k - 1] ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      reach[offset + k] = x;
      if (x >= a.length && x - k >= b.length) return walkedBack(trail, a.length, b.length);
    }
  }
  return undefined;
}

/** The changing steps of the path, as positions before each, from the start. */
function walkedBack(trail: readonly Int32Array[], toX: number, toY: number): [number, number][] {
  const steps: [number, number][] = [];
  let x = toX;
  let y = toY;
  for (let distance = trail.length - 1; distance > 0; distance -= 1) {
    // `reach` of the round before, its middle at `distance + 1`.
    const reach = trail[distance] ?? new Int32Array();
    const at = (diagonal: number) => reach[distance + 1 + diagonal] ?? 0;
    const k = x - y;
    const isDown = k === -distance || (k !== distance && at(k - 1) < at(k + 1));
    const from = isDown ? k + 1 : k - 1;
    x = at(from);
    y = x - from;
    steps.push([x, y]);
    steps.push(isDown ? [x, y + 1] : [x + 1, y]);
  }
  return steps.reverse();
}

/** Steps (end and beginning of each) as edits; adjacent ones are joined. */
function joined(steps: readonly [number, number][]): Edit[] {
  const edits: Edit[] = [];
  for (let at = 0; at < steps.length; at += 2) {
    const [endX = 0, endY = 0] = steps[at] ?? [];
    const [x = 0, y = 0] = steps[at + 1] ?? [];
    const last = edits.at(-1);
    const isNext =
      last !== undefined && last.before + last.removed === x && last.after + last.added === y;
    const removed = endX - x;
    const added = endY - y;
    if (isNext) {
      edits[edits.length - 1] = {
        ...last,
        removed: last.removed + removed,
        added: last.added + added,
      };
    } else edits.push({ before: x, removed, after: y, added });
  }
  return edits;
}

function hunksOf(edits: readonly Edit[], a: readonly string[], b: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let lines: ChangedLine[] = [];
  edits.forEach((edit, index) => {
    const previous = edits[index - 1];
    const gapFrom = previous === undefined ? 0 : previous.before + previous.removed;
    const gap = edit.before - gapFrom;
    const shift = edit.after - edit.before;
    if (previous !== undefined && gap <= 2 * CONTEXT) {
      addSame(lines, a, gapFrom, edit.before, shift);
    } else {
      if (previous !== undefined) {
        addSame(lines, a, gapFrom, gapFrom + CONTEXT, previous.after + previous.added - gapFrom);
        hunks.push({ lines });
        lines = [];
      }
      addSame(lines, a, Math.max(gapFrom, edit.before - CONTEXT), edit.before, shift);
    }
    addChanged(lines, a, b, edit);
  });
  const last = edits.at(-1);
  if (last !== undefined) {
    const from = last.before + last.removed;
    addSame(lines, a, from, Math.min(a.length, from + CONTEXT), last.after + last.added - from);
    hunks.push({ lines });
  }
  return hunks;
}

/** `shift`: offset of the line in the new text. */
function addSame(
  lines: ChangedLine[],
  a: readonly string[],
  from: number,
  to: number,
  shift: number,
): void {
  for (let at = from; at < to; at += 1) {
    lines.push({ kind: 'same', number: at + shift + 1, text: a[at] ?? '', from: 0, to: 0 });
  }
}

function addChanged(
  lines: ChangedLine[],
  a: readonly string[],
  b: readonly string[],
  edit: Edit,
): void {
  const { before, removed, after, added } = edit;
  const line = (kind: 'removed' | 'added', at: number, part?: Range): ChangedLine => {
    const text = (kind === 'removed' ? a[at] : b[at]) ?? '';
    const [from, to] = part ?? [0, text.length];
    return { kind, number: at + 1, text, from, to };
  };
  if (isPaired(edit)) {
    for (let index = 0; index < removed; index += 1) {
      const part = changedPart(a[before + index] ?? '', b[after + index] ?? '');
      lines.push(line('removed', before + index, part.before));
      lines.push(line('added', after + index, part.after));
    }
    return;
  }
  for (let at = before; at < before + removed; at += 1) lines.push(line('removed', at));
  for (let at = after; at < after + added; at += 1) lines.push(line('added', at));
}

type Range = readonly [from: number, to: number];

/** Part between the common beginning and the common end of two lines, in whole words. */
export function changedPart(a: string, b: string): { before: Range; after: Range } {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a.charCodeAt(start) === b.charCodeAt(start)) start += 1;
  let end = 0;
  while (
    end < most - start &&
    a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end)
  ) {
    end += 1;
  }
  for (let steps = 0; steps < MAX_WORD && start > 0; steps += 1) {
    if (!isInside(a, start) && !isInside(b, start)) break;
    start -= 1;
  }
  for (let steps = 0; steps < MAX_WORD && end > 0; steps += 1) {
    if (!isInside(a, a.length - end) && !isInside(b, b.length - end)) break;
    end -= 1;
  }
  return { before: [start, a.length - end], after: [start, b.length - end] };
}

/** Limit of a word, in characters. */
const MAX_WORD = 32;
const WORD = /[\p{L}\p{N}_]/u;

/** Whether `at` lies in the middle of a word or of a character. */
function isInside(text: string, at: number): boolean {
  const [before = '', after = ''] = [text[at - 1], text[at]];
  if (/[\ud800-\udbff]/.test(before) && /[\udc00-\udfff]/.test(after)) return true;
  return WORD.test(before) && WORD.test(after);
}
