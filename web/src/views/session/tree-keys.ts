/** The keyboard in the tree (WAI-ARIA tree view), and the letters of the session page. */
import { type KeyboardEvent, useMemo } from 'react';
import { errorsOf } from '../../model/span-status.ts';
import { parentKey, spanKey } from '../../model/span-tree.ts';
import type { Trace } from '../../state/trace.ts';
import { useActions } from '../actions.ts';
import { useInspector } from '../context.ts';
import type { TimeWindowControl } from './time-window.ts';
import type { TreeView } from './tree-view.ts';

interface TreeKeys {
  readonly trace: Trace;
  readonly tree: TreeView;
  readonly cursor: string | undefined;
  readonly waiting: ReadonlySet<string>;
  /** Rows in view. */
  readonly page: number;
  readonly moveTo: (key: string) => void;
  readonly open: (key: string | undefined) => void;
  readonly timeWindow: TimeWindowControl;
}

const ZOOM = 1.5;

export function useTreeKeys(keys: TreeKeys): (event: KeyboardEvent) => void {
  const { trace, tree, cursor, waiting, moveTo, open, timeWindow } = keys;
  const { router } = useInspector();
  const actions = useMemo(() => {
    const leave = () => {
      if (router.route.get().query.has('span')) open(undefined);
      else router.push('');
    };
    const freeze = () => (trace.freeze.get() === undefined ? trace.hold(Date.now()) : trace.thaw());
    const toSibling = (step: 1 | -1) => goTo(sibling(tree, trace, cursor, step), moveTo);
    return [
      { name: 'Next error', keys: ['e'], run: () => goTo(nextError(trace, cursor), open) },
      {
        name: 'Next span that waits for a person',
        keys: ['w'],
        run: () => goTo(nextWaiting(waiting, cursor), open),
      },
      { name: 'Next sibling', keys: [']'], run: () => toSibling(1) },
      { name: 'Previous sibling', keys: ['['], run: () => toSibling(-1) },
      { name: 'Freeze, go on', keys: ['f'], run: freeze },
      { name: 'Zoom in', keys: ['+', '='], run: () => timeWindow.zoom(1 / ZOOM) },
      { name: 'Zoom out', keys: ['-'], run: () => timeWindow.zoom(ZOOM) },
      { name: 'Show everything', keys: ['0'], run: timeWindow.fit },
      { name: 'Leave: the span, the session', keys: ['Escape'], run: leave },
    ];
  }, [trace, tree, cursor, waiting, moveTo, open, timeWindow, router]);
  useActions('Session', actions);
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = treeAction(event.key, keys);
    if (action === undefined) return;
    event.preventDefault();
    action();
  };
}

function treeAction(
  key: string,
  { trace, tree, cursor, page, moveTo, open }: TreeKeys,
): (() => void) | undefined {
  const row = cursor === undefined ? undefined : tree.rowOf(cursor);
  const last = tree.rows.count - 1;
  const toRow = (to: number) => () => goTo(tree.keyAt(Math.max(0, Math.min(last, to))), moveTo);
  if (row === undefined || cursor === undefined) {
    return key === 'ArrowDown' || key === 'Home' ? toRow(0) : undefined;
  }
  const isOpen = tree.hasChildren(row) && !tree.collapsed.has(cursor);
  switch (key) {
    case 'ArrowDown':
      return toRow(row + 1);
    case 'ArrowUp':
      return toRow(row - 1);
    case 'PageDown':
      return toRow(row + page);
    case 'PageUp':
      return toRow(row - page);
    case 'Home':
      return toRow(0);
    case 'End':
      return toRow(last);
    case 'ArrowRight':
      if (isOpen) return toRow(row + 1);
      return tree.hasChildren(row) ? () => tree.fold(cursor, false) : undefined;
    case 'ArrowLeft': {
      if (isOpen) return () => tree.fold(cursor, true);
      const span = trace.spans.get(cursor);
      const parent = span === undefined ? '' : parentKey(span);
      return () => goTo(trace.spans.get(parent) === undefined ? undefined : parent, moveTo);
    }
    case 'Enter':
    case ' ':
      return () => open(cursor);
    default:
      return undefined;
  }
}

function goTo(key: string | undefined, move: (key: string) => void): void {
  if (key !== undefined) move(key);
}

/** The first error after the cursor in time; after the last one, the first again. */
export function nextError(trace: Trace, cursor: string | undefined): string | undefined {
  const errors = errorsOf(trace.spans.values())
    .sort((a, b) => a.offset_ns - b.offset_ns || (a.span_id < b.span_id ? -1 : 1))
    .map(spanKey);
  const at = cursor === undefined ? -1 : errors.indexOf(cursor);
  return errors[(at + 1) % Math.max(1, errors.length)];
}

export function nextWaiting(
  waiting: ReadonlySet<string>,
  cursor: string | undefined,
): string | undefined {
  const keys = [...waiting];
  return keys[((cursor === undefined ? -1 : keys.indexOf(cursor)) + 1) % Math.max(1, keys.length)];
}

function sibling(
  tree: TreeView,
  trace: Trace,
  cursor: string | undefined,
  step: 1 | -1,
): string | undefined {
  const row = cursor === undefined ? undefined : tree.rowOf(cursor);
  if (row === undefined) return undefined;
  const depth = tree.rows.depth[row];
  for (let at = row + step; at >= 0 && at < tree.rows.count; at += step) {
    const other = tree.rows.depth[at] ?? 0;
    if (other < (depth ?? 0)) return undefined;
    const key = tree.keyAt(at);
    if (other === depth && key !== undefined && trace.spans.get(key) !== undefined) return key;
  }
  return undefined;
}
