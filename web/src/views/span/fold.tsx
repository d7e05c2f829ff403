/** Folded section: one line with its size. */
import { type ReactNode, useState } from 'react';
import { ActionIcon } from '../parts/icons.tsx';
import './fold.css';

export function Fold({
  label,
  children,
}: {
  readonly label: ReactNode;
  readonly children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="ins-fold">
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ActionIcon name="caret" />
        {label}
      </button>
      {isOpen && <div className="ins-fold__body">{children}</div>}
    </div>
  );
}
