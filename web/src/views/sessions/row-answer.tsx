/** Requests of a session, answered in a card below its row, above the following rows. */
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react';
import { INBOX_TEXT, PARTS_TEXT, SESSION_LIST_TEXT } from '../../texts.ts';
import { useInspector, useRow } from '../parts/context.ts';
import { RequestCard } from '../parts/requests/request-card.tsx';
import { usePinned } from '../parts/waiting.ts';
import './row-answer.css';

interface RowAnswerProps {
  /** Id of the session. */
  readonly id: string;
  /** Ids of its requests. */
  readonly waiting: readonly string[];
  readonly isOpen: boolean;
  readonly onAnswering: (id: string | undefined) => void;
}

export function RowAnswer({ id, waiting, isOpen, onAnswering }: RowAnswerProps) {
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    onAnswering(undefined);
    button.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Keys of the list are not for what is open in it.
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') event.stopPropagation();
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    close();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="ins-row-answer__button"
        aria-expanded={isOpen}
        data-unfolds-answer
        onClick={() => onAnswering(isOpen ? undefined : id)}
      >
        {isOpen ? PARTS_TEXT.close : SESSION_LIST_TEXT.answerCount(waiting.length)}
      </button>
      {isOpen && <Requests waiting={waiting} onKeyDown={onKeyDown} />}
    </>
  );
}

interface RequestsProps {
  readonly waiting: readonly string[];
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function Requests({ waiting, onKeyDown }: RequestsProps) {
  const { requests } = useInspector();
  const [chosen, choose] = useState(waiting[0]);
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    panel.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const toggle = useCallback((id: string) => choose((now) => (now === id ? undefined : id)), []);
  const isGone = useRow(requests.rows, chosen ?? '') === undefined;
  const ids = usePinned(waiting, isGone ? undefined : chosen);
  return (
    <div
      ref={panel}
      className="ins-row-answer__panel"
      role="group"
      aria-label={SESSION_LIST_TEXT.waitingForYou}
      onKeyDown={onKeyDown}
    >
      {ids.map((id) => (
        <RequestCard key={id} id={id} isOpen={id === chosen} onToggle={toggle} />
      ))}
      {ids.length === 0 && <p>{INBOX_TEXT.empty}.</p>}
    </div>
  );
}
