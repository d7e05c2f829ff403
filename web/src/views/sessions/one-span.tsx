/** Offer to find the sessions in which one span matches all that the query says about spans. */
import { useCallback, useMemo, useRef } from 'react';
import { inOneSpan } from '../../model/query/query-terms.ts';
import { boundsOf, type TimeRange } from '../../model/sessions/time-range.ts';
import { SESSION_LIST_TEXT } from '../../texts.ts';
import { useInspector } from '../parts/context.ts';
import { useFocusOnLeave } from '../parts/focus-back.ts';
import { useAnswer } from '../parts/use-answer.ts';
import './one-span.css';

/** Number of sessions that are counted one by one; more are "100+". */
const MOST_COUNTED = 100;

interface OneSpanProps {
  readonly query: string;
  readonly range: TimeRange;
}

export function OneSpan({ query, range }: OneSpanProps) {
  const narrowed = useMemo(() => inOneSpan(query), [query]);
  return narrowed === undefined ? null : <Offer query={narrowed} range={range} />;
}

function Offer({ query, range }: OneSpanProps) {
  const { api, router } = useInspector();
  const question = useMemo(() => ({ query, range }), [query, range]);
  const count = useCallback(
    async (one: OneSpanProps, signal: AbortSignal) => {
      const bounds = boundsOf(one.range, Date.now());
      const page = { q: one.query, limit: MOST_COUNTED, ...bounds };
      const { sessions, next_cursor, partial = [] } = await api.sessions(page, signal);
      return { count: sessions.length, hasMore: next_cursor !== null, partial };
    },
    [api],
  );
  const { found, isCurrent, state } = useAnswer(question, count);
  const button = useRef<HTMLButtonElement>(null);
  useFocusOnLeave(button);
  if (state.kind === 'failed') return null;
  return (
    <button
      ref={button}
      type="button"
      className="ins-one-span"
      title={SESSION_LIST_TEXT.oneSpanWhy}
      onClick={() => router.adjust({ q: query })}
    >
      {SESSION_LIST_TEXT.oneSpan} <code>{query}</code>
      {isCurrent && found !== undefined && (
        <span className="ins-one-span__count">
          {SESSION_LIST_TEXT.count(found.answer.count, found.answer.hasMore)}
        </span>
      )}
    </button>
  );
}
