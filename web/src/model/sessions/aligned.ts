/**
 * The rows of a tree of steps of which only a part is known: those that differ, those above them,
 * and what was read besides. What lies between them is one row, until it is opened.
 */
import type { AlignedStep } from '../../api/types.ts';
import type { SelectedDifference } from './comparison.ts';

/** A step, at its place among all: `row` of them come before it, `size` rows are it and those below. */
export interface Placed {
  readonly row: number;
  readonly depth: number;
  readonly size: number;
}

export type AlignedItem<S extends Placed> =
  | {
      readonly kind: 'step';
      readonly step: S;
      /** The step that it is below. */
      readonly above: S | undefined;
      readonly depth: number;
      /** Undefined: nothing is below it. */
      readonly isOpen: boolean | undefined;
    }
  /** Steps that were not read: the rows from `start` up to `stop`. */
  | {
      readonly kind: 'between';
      readonly above: S | undefined;
      readonly depth: number;
      readonly start: number;
      readonly stop: number;
    }
  /** What is below the first difference: later ones. */
  | { readonly kind: 'later'; readonly depth: number; readonly isOpen: boolean };

interface Folds {
  /** Rows whose steps below are not shown. */
  readonly closed: ReadonlySet<number>;
  /** The row below which all rows are one; undefined: there is none. */
  readonly first?: number | undefined;
  readonly isLaterShown?: boolean;
}

/**
 * Rows to show, in depth-first order.
 *
 * Args:
 *   steps: What is known, by row.
 *   reached: The first row of which it is not known whether it differs.
 */
export function itemsOf<S extends Placed>(
  steps: readonly S[],
  reached: number,
  { closed, first, isLaterShown = false }: Folds,
): AlignedItem<S>[] {
  const items: AlignedItem<S>[] = [];
  const around: S[] = [];
  let row = 0;
  let next = 0;
  while (row < reached) {
    while (around.length > 0 && endOf(around.at(-1)) <= row) around.pop();
    while ((steps[next]?.row ?? reached) < row) next += 1;
    const step = steps[next];
    const above = around.at(-1);
    if (step?.row !== row) {
      const stop = Math.min(step?.row ?? reached, endOf(above), reached);
      const depth = (above?.depth ?? -1) + 1;
      items.push({ kind: 'between', above, depth, start: row, stop });
      row = stop;
      continue;
    }
    const isLast = row === first && !isLaterShown;
    const isKnown = (steps[next + 1]?.row ?? reached) < endOf(step);
    const isOpen = isKnown && !closed.has(row) && !isLast;
    const { depth } = step;
    items.push({ kind: 'step', step, above, depth, isOpen: step.size > 1 ? isOpen : undefined });
    if (row === first) items.push({ kind: 'later', depth: depth + 1, isOpen: isLaterShown });
    if (isLast) break;
    if (isOpen) around.push(step);
    row = isOpen ? row + 1 : endOf(step);
  }
  return items;
}

/** The row after a step and all below it. */
function endOf(step: Placed | undefined): number {
  return step === undefined ? Number.POSITIVE_INFINITY : step.row + step.size;
}

export function keyOfItem(item: AlignedItem<Placed>): string {
  if (item.kind === 'step') return String(item.step.row);
  return item.kind === 'later' ? 'later' : `from ${item.start}`;
}

/** Index of the item that another is below; undefined for a root. */
export function parentOf(items: readonly AlignedItem<Placed>[], at: number): number | undefined {
  const depth = items[at]?.depth ?? 0;
  for (let above = at - 1; above >= 0; above -= 1) {
    const item = items[above];
    if (item?.kind === 'step' && item.depth < depth) return above;
  }
  return undefined;
}

/** Steps with others that were read later: each once, by row. */
export function joined<S extends Placed>(steps: readonly S[], more: readonly S[]): S[] {
  const byRow = new Map([...steps, ...more].map((step) => [step.row, step]));
  return [...byRow.values()].sort((a, b) => a.row - b.row);
}

/** The first row that was not read of the rows from `start`, at most up to `stop`. */
export function firstUnread(steps: readonly Placed[], start: number, stop: number): number {
  let row = start;
  for (const step of steps) if (step.row === row && row < stop) row += 1;
  return row;
}

/** A step as a difference, with the names of the known steps above it. */
export function differenceOf(step: AlignedStep, steps: readonly AlignedStep[]): SelectedDifference {
  const path: string[] = [];
  let { depth } = step;
  for (let at = steps.indexOf(step); at >= 0; at -= 1) {
    const above = steps[at];
    if (above === undefined || (above !== step && above.depth >= depth)) continue;
    depth = above.depth;
    path.unshift((above.left ?? above.right)?.name ?? '');
  }
  const isPair = step.left !== null && step.right !== null;
  return { ...step, path, span_count: isPair ? 1 : step.size };
}

/** Time that both sides have room for, from the beginning of their sessions. */
export function extentOf(steps: readonly AlignedStep[]): { start_ns: number; end_ns: number } {
  let [start_ns, end_ns] = [0, 1];
  for (const { left, right } of steps) {
    for (const span of [left, right]) {
      if (span === null) continue;
      start_ns = Math.min(start_ns, span.offset_ns);
      end_ns = Math.max(end_ns, span.offset_ns + (span.duration_ns ?? 0));
    }
  }
  return { start_ns, end_ns };
}
