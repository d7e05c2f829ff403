/** Open requests of a span, in the span's panel and in the transcript. */
import { useEffect, useState } from 'react';
import { keyInSession } from '../../../model/trace/span-key.ts';
import { useCell, useInspector, useRow } from '../context.ts';
import { RequestCard } from './request-card.tsx';
import './span-requests.css';
import { StatusIcon } from '../icons.tsx';
import './waits-elsewhere.css';
import { REQUEST_TEXT } from '../../../texts.ts';

interface SpanRequestsProps {
  readonly sessionId: string;
  readonly spanKey: string;
}

export function SpanRequests({ sessionId, spanKey }: SpanRequestsProps) {
  const { requests } = useInspector();
  const waiting = useRow(requests.ofSpan, keyInSession(sessionId, spanKey));
  const [seen, setSeen] = useState<readonly string[]>([]);
  // What was answered here stays to be read, until another span is shown.
  const isNew = waiting?.some((id) => !seen.includes(id)) === true;
  if (isNew) setSeen([...seen, ...waiting.filter((id) => !seen.includes(id))]);
  if (seen.length === 0) return null;
  return (
    <section className="ins-span-requests" aria-label={REQUEST_TEXT.waitingInSpan}>
      {seen.slice(-MAX_SHOWN).map((id) => (
        <RequestCard key={id} id={id} />
      ))}
    </section>
  );
}

const MAX_SHOWN = 5;

/**
 * Time to wait for rows to agree: a request arrives shortly after the start of its wait, and closes
 * shortly before the end.
 */
const SETTLED_MS = 1500;

interface WaitsElsewhereProps {
  readonly isWaiting: boolean;
  readonly hasRequest: boolean;
}

export function WaitsElsewhere({ isWaiting, hasRequest }: WaitsElsewhereProps) {
  const isLoaded = useCell(useInspector().requests.state).kind === 'ready';
  const isElsewhere = isWaiting && isLoaded && !hasRequest;
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    if (!isElsewhere) return;
    const timer = setTimeout(() => setSettled(true), SETTLED_MS);
    return () => {
      clearTimeout(timer);
      setSettled(false);
    };
  }, [isElsewhere]);
  if (!isElsewhere || !isSettled) return null;
  return (
    <p className="ins-elsewhere" role="status">
      <StatusIcon shape="waiting" />
      {REQUEST_TEXT.elsewhere}
    </p>
  );
}
