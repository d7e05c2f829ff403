/** Open requests of a span, where the span is read. */
import { useState } from 'react';
import { useInspector, useRow } from '../context.ts';
import { RequestCard } from './request-card.tsx';
import './span-requests.css';

export function SpanRequests({ spanKey }: { readonly spanKey: string }) {
  const { requests } = useInspector();
  const waiting = useRow(requests.ofSpan, spanKey);
  const [seen, setSeen] = useState<readonly string[]>([]);
  // What was answered here stays to be read, until another span is shown.
  const isNew = waiting?.some((id) => !seen.includes(id)) === true;
  if (isNew) setSeen([...seen, ...waiting.filter((id) => !seen.includes(id))]);
  if (seen.length === 0) return null;
  return (
    <section className="ins-span-requests" aria-label="Waiting for you in this span">
      {seen.slice(-MAX_SHOWN).map((id) => (
        <RequestCard key={id} id={id} />
      ))}
    </section>
  );
}

const MAX_SHOWN = 5;
