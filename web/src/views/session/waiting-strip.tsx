/** Requests of one session, below its header: a line each, one open at a time. */
import { useCallback, useState } from 'react';
import { useInspector, useRow } from '../parts/context.ts';
import { Link } from '../parts/link.tsx';
import { usePinned } from '../parts/requests/pinned.ts';
import { RequestCard } from '../parts/requests/request-card.tsx';
import './waiting-strip.css';

const SHOWN = 3;

export function WaitingStrip({ sessionId }: { readonly sessionId: string }) {
  const { requests } = useInspector();
  const waiting = useRow(requests.ofSession, sessionId) ?? NONE;
  const [open, setOpen] = useState<string | undefined>(undefined);
  const toggle = useCallback((id: string) => setOpen((now) => (now === id ? undefined : id)), []);
  // The one that is read stays when it is answered, until it is closed.
  const shown = usePinned(waiting, open).slice(0, SHOWN);
  if (shown.length === 0) return null;
  const more = waiting.length - shown.length;
  return (
    <section className="ins-strip" aria-label="Waiting for you in this session">
      {shown.map((id) => (
        <RequestCard key={id} id={id} isOpen={id === open} onToggle={toggle} />
      ))}
      {more > 0 && (
        <Link className="ins-strip__more" to={`waiting?session=${encodeURIComponent(sessionId)}`}>
          and {more} more
        </Link>
      )}
    </section>
  );
}

const NONE: readonly string[] = [];
