/** Spans that failed with a span: those that it failed from, and those that failed from it. */
import { useMemo } from 'react';
import type { SpanRow } from '../../api/types.ts';
import { failedAbove, failedBelow } from '../../model/trace/span-family.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import type { Trace } from '../../state/trace.ts';
import { PARTS_TEXT, SPAN_TEXT } from '../../texts.ts';
import { SpanButton } from './links.tsx';

interface PropagationProps {
  readonly row: SpanRow;
  readonly trace: Trace;
  readonly onSelect: (key: string) => void;
}

/** Origin of the error, and the spans that failed with it. */
export function Propagation({ row, trace, onSelect }: PropagationProps) {
  const above = useMemo(() => failedAbove(trace.spans, row), [trace, row]);
  const below = useMemo(() => failedBelow(trace.spans, row), [trace, row]);
  if (above.length === 0 && below.length === 0) return null;
  return (
    <section className="ins-section">
      {below.length > 0 && (
        <>
          <h3>{SPAN_TEXT.causedBy}</h3>
          <Spans rows={below} onSelect={onSelect} />
        </>
      )}
      {above.length > 0 && (
        <>
          <h3>{SPAN_TEXT.propagatedTo}</h3>
          <Spans rows={above} onSelect={onSelect} />
        </>
      )}
    </section>
  );
}

const MAX_SPANS = 12;

interface SpansProps {
  readonly rows: readonly SpanRow[];
  readonly onSelect: (key: string) => void;
}

function Spans({ rows, onSelect }: SpansProps) {
  return (
    <ul className="ins-links ins-links--row">
      {rows.slice(0, MAX_SPANS).map((row) => (
        <li key={spanKey(row)}>
          <SpanButton row={row} onSelect={onSelect} />
        </li>
      ))}
      {rows.length > MAX_SPANS && <li>{PARTS_TEXT.more(rows.length - MAX_SPANS)}</li>}
    </ul>
  );
}
