/** The last entries of the transcript before a request: what led to it. */
import { useEffect, useState } from 'react';
import type { Request, Transcript } from '../../api/types.ts';
import { type Entry, lastEntries } from '../../model/requests/last-entries.ts';
import { sessionPath } from '../../state/route.ts';
import { INBOX_TEXT } from '../../texts.ts';
import { useInspector } from '../parts/context.ts';
import { Link } from '../parts/link.tsx';
import { VisibleText } from '../parts/visible-text.tsx';

export function LastCalls({ request }: { readonly request: Request }) {
  const { session_id, trace_id, span_id } = request;
  const span = trace_id === null || span_id === null ? undefined : `${trace_id}.${span_id}`;
  const entries = useLastEntries(session_id, span);
  if (entries === undefined || entries.length === 0) return null;
  const at = new URLSearchParams({ view: 'transcript', ...(span === undefined ? {} : { span }) });
  return (
    <section className="ins-inbox__before" aria-label={INBOX_TEXT.before}>
      <header>
        <h2>{INBOX_TEXT.before}</h2>
        <Link className="ins-link" to={`${sessionPath(session_id)}?${at}`}>
          {INBOX_TEXT.transcript}
        </Link>
      </header>
      <ol>
        {entries.map(({ key, who, text, state }) => (
          <li key={key}>
            <strong>
              <VisibleText text={who} />
              {state !== undefined && (
                <span className={`ins-inbox__state ins-inbox__state--${state}`}>
                  {' '}
                  {INBOX_TEXT.states[state]}
                </span>
              )}
            </strong>
            {text !== '' && (
              <p dir="auto">
                <VisibleText text={text} />
              </p>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Undefined: not read yet. Without an answer there is nothing to show: the card is complete. */
function useLastEntries(sessionId: string, span: string | undefined): readonly Entry[] | undefined {
  const { api } = useInspector();
  const [read, setRead] = useState<Transcript>();
  useEffect(() => {
    const reading = new AbortController();
    api.lastCalls(sessionId, span, reading.signal).then(setRead, () => {});
    return () => reading.abort();
  }, [api, sessionId, span]);
  return read === undefined ? undefined : lastEntries(read, span);
}
