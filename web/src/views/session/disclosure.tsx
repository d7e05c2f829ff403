/** Button that opens a small panel below it; Escape or a press outside closes it. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import './disclosure.css';

interface DisclosureProps {
  /** Label of the button. */
  readonly name: string;
  readonly icon: ReactNode;
  readonly children: (close: () => void) => ReactNode;
}

export function Disclosure({ name, icon, children }: DisclosureProps) {
  const [isOpen, setOpen] = useState(false);
  const element = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  useEffect(() => {
    if (!isOpen) return;
    const onDown = (event: PointerEvent) => {
      if (event.target instanceof Node && !element.current?.contains(event.target)) setOpen(false);
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      setOpen(false);
      button.current?.focus();
    };
    const inside = element.current;
    inside?.addEventListener('keydown', onKey);
    window.addEventListener('pointerdown', onDown);
    return () => {
      inside?.removeEventListener('keydown', onKey);
      window.removeEventListener('pointerdown', onDown);
    };
  }, [isOpen]);
  return (
    <div ref={element} className="ins-disclosure">
      <button
        ref={button}
        type="button"
        className="ins-icon-button"
        title={name}
        aria-label={name}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {icon}
      </button>
      {isOpen && <div className="ins-disclosure__body">{children(close)}</div>}
    </div>
  );
}
