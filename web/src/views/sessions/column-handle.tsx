/** Right edge of a column's head: dragged, or moved by arrow keys, it makes the column wider. */
import type { KeyboardEvent, PointerEvent } from 'react';
import { COLUMN_PX, columnWidth } from '../../state/preferences.ts';
import { SESSION_LIST_TEXT } from '../../texts.ts';
import { useInspector, usePreferences } from '../parts/context.ts';
import { follow } from '../parts/follow.ts';

const STEP_PX = 12;

interface ColumnHandleProps {
  readonly id: string;
  readonly name: string;
  /** Width without a chosen one. */
  readonly least_px: number;
}

export function ColumnHandle({ id, name, least_px }: ColumnHandleProps) {
  const { preferences } = useInspector();
  const { columnWidths } = usePreferences();
  const resize = (px: number) =>
    preferences.change({
      columnWidths: { ...preferences.get().columnWidths, [id]: columnWidth(px) },
    });
  const reset = () => {
    const { [id]: _, ...others } = preferences.get().columnWidths;
    preferences.change({ columnWidths: others });
  };
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    const { width } = headOf(event.currentTarget);
    const from = event.clientX;
    follow(event, (x) => resize(width + x - from));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === 'Enter') return reset();
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    // The list has the arrows, too.
    event.stopPropagation();
    resize(headOf(event.currentTarget).width + step * STEP_PX);
  };
  return (
    <span
      className="ins-list__handle"
      role="separator"
      aria-orientation="vertical"
      aria-label={SESSION_LIST_TEXT.widthOf(name)}
      title={SESSION_LIST_TEXT.resize}
      aria-valuenow={columnWidths[id] ?? least_px}
      aria-valuemin={COLUMN_PX.least}
      aria-valuemax={COLUMN_PX.most}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
      onDoubleClick={reset}
    />
  );
}

function headOf(handle: HTMLElement): DOMRect {
  return (handle.parentElement ?? handle).getBoundingClientRect();
}
