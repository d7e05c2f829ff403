/** Keyboard of the tree (WAI-ARIA tree view), and the keys of the time axis. */
import { type KeyboardEvent, useMemo } from 'react';
import { useActions } from '../parts/actions.ts';
import type { TimeWindowControl } from './time-window.ts';
import type { TreeView } from './tree-view.ts';

interface TreeKeys {
  readonly tree: TreeView;
  readonly cursor: string | undefined;
  /** Number of rows in view. */
  readonly page: number;
  readonly moveTo: (key: string) => void;
  readonly open: (key: string) => void;
}

const ZOOM = 1.5;

export function useTimeKeys({ zoom, fit }: TimeWindowControl, zoomToRows: () => void): void {
  const actions = useMemo(
    () => [
      { name: 'Zoom in', keys: ['+', '='], run: () => zoom(1 / ZOOM) },
      { name: 'Zoom out', keys: ['-'], run: () => zoom(ZOOM) },
      { name: 'Zoom to the rows in view', keys: ['v'], run: zoomToRows },
      { name: 'Show everything', keys: ['0'], run: fit },
    ],
    [zoom, fit, zoomToRows],
  );
  useActions('Waterfall', actions);
}

export function onTreeKey(event: KeyboardEvent, keys: TreeKeys): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const action = treeAction(event.key, keys);
  if (action === undefined) return;
  event.preventDefault();
  action();
}

function treeAction(
  key: string,
  { tree, cursor, page, moveTo, open }: TreeKeys,
): (() => void) | undefined {
  const row = cursor === undefined ? undefined : tree.rowOf(cursor);
  const last = tree.rows.count - 1;
  const toRow = (to: number) => () => goTo(tree.keyAt(Math.max(0, Math.min(last, to))), moveTo);
  if (row === undefined || cursor === undefined) {
    return key === 'ArrowDown' || key === 'Home' ? toRow(0) : undefined;
  }
  const isOpen = tree.hasChildren(row) && !tree.isFolded(row);
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
      return () => goTo(tree.parentOf(row), moveTo);
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
