/** What waits for a person in a session: one line for several, the cards when it is opened. */
import { useCallback, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { allowsByItself, lineOf } from '../../model/requests/request.ts';
import { SHELL_TEXT, STRIP_TEXT, stripCount, stripMore } from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { useInspector, useRow } from '../parts/context.ts';
import { StatusIcon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { RequestCard } from '../parts/requests/request-card.tsx';
import { usePinned } from '../parts/waiting.ts';
import './waiting-strip.css';

const SHOWN = 3;

export function WaitingStrip({ sessionId }: { readonly sessionId: string }) {
  const { requests } = useInspector();
  const waiting = useRow(requests.ofSession, sessionId) ?? NONE;
  const [open, setOpen] = useState<string | undefined>(undefined);
  const toggle = useCallback((id: string) => setOpen((now) => (now === id ? undefined : id)), []);
  // The one that is read stays when it is answered, until it is closed.
  const shown = usePinned(waiting, open).slice(0, SHOWN);
  const strip = useRef<HTMLElement>(null);
  const isOpen = open !== undefined && shown.includes(open);
  const actions = useMemo(() => {
    const close = () => {
      flushSync(() => setOpen(undefined));
      strip.current?.querySelector('button')?.focus();
    };
    return isOpen ? [{ name: SHELL_TEXT.closeRequest, keys: ['Escape'], run: close }] : [];
  }, [isOpen]);
  useActions('Waiting', actions);
  if (shown.length === 0) return null;
  const more = waiting.length - shown.length;
  return (
    <section ref={strip} className="ins-strip" aria-label={STRIP_TEXT.label}>
      {waiting.length > 1 && open === undefined ? (
        <Line waiting={waiting} onOpen={() => setOpen(waiting[0])} />
      ) : (
        shown.map((id) => <RequestCard key={id} id={id} isOpen={id === open} onToggle={toggle} />)
      )}
      {more > 0 && open !== undefined && (
        <Link className="ins-strip__more" to={`waiting?session=${encodeURIComponent(sessionId)}`}>
          {stripMore(more)}
        </Link>
      )}
    </section>
  );
}

const NONE: readonly string[] = [];

interface LineProps {
  readonly waiting: readonly string[];
  readonly onOpen: () => void;
}

function Line({ waiting, onOpen }: LineProps) {
  const { rows } = useInspector().requests;
  const known = waiting.map((id) => rows.get(id)).filter((one) => one !== undefined);
  const isAllowing = known.some(allowsByItself);
  const what = [...new Set(known.map(lineOf))].slice(0, SHOWN).join(', ');
  return (
    <button
      type="button"
      className={`ins-strip__line${isAllowing ? ' ins-strip__line--allowing' : ''}`}
      aria-expanded={false}
      data-unfolds-answer
      onClick={onOpen}
    >
      <StatusIcon shape={isAllowing ? 'allowing' : 'waiting'} />
      <strong>{stripCount(waiting.length, known.filter(allowsByItself).length)}</strong>
      <span className="ins-strip__what" title={what}>
        {what}
      </span>
      <span className="ins-strip__answer">{STRIP_TEXT.answer}</span>
    </button>
  );
}
