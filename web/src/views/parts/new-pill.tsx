/** Button "12 new" that scrolls to rows that arrived out of view. */
import { PARTS_TEXT } from '../../texts.ts';
import { ActionIcon } from './icons.tsx';
import './new-pill.css';

interface NewPillProps {
  readonly count: number;
  readonly direction: 'up' | 'down';
  readonly onClick: () => void;
}

export function NewPill({ count, direction, onClick }: NewPillProps) {
  return (
    <button type="button" className={`ins-pill ins-pill--${direction}`} onClick={onClick}>
      <ActionIcon name={direction} />
      {PARTS_TEXT.newRows(count)}
    </button>
  );
}
