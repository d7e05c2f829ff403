/** `/ui/`: all sessions, newest first. */
import { useEffect, useMemo, useRef } from 'react';
import { plural } from '../../model/format.ts';
import type { Sessions } from '../../state/sessions.ts';
import { useActions } from '../actions.ts';
import { useCell, useInspector, useRoute, useTitle } from '../context.ts';
import { EmptySessions } from './empty-sessions.tsx';
import { MinutesChart } from './minutes-chart.tsx';
import { QueryField, type QueryProblem } from './query-field.tsx';
import { SessionList } from './session-list.tsx';
import './sessions-page.css';

export function SessionsPage() {
  const { sessions: all, filter, router } = useInspector();
  const query = useRoute().query.get('q') ?? '';
  useEffect(() => filter.ask(query), [filter, query]);
  const shown = useCell(filter.shown);
  const isAsking = useCell(filter.isAsking);
  const isEmpty = useCell(all.order).length === 0;
  const state = useCell(shown.state);
  const field = useRef<HTMLInputElement>(null);
  const actions = useMemo(
    () => [{ name: 'Filter', keys: ['/'], run: () => field.current?.focus() }],
    [],
  );
  useActions('Session list', actions);
  useTitle('Sessions');
  const refused = useCell(filter.refused);
  const problem = refused === undefined ? undefined : queryProblem(refused);

  return (
    <main className="ins-sessions">
      <h1 className="ins-hidden">Sessions</h1>
      {state.kind === 'failed' && refused === undefined && (
        <p className="ins-sessions__problem" role="alert">
          {state.message}
          {state.status === 401 && ' Open the address that `inspector token` prints.'}
        </p>
      )}
      {state.kind === 'ready' && isEmpty && query === '' ? (
        <EmptySessions />
      ) : (
        <>
          <div className="ins-sessions__tools">
            <QueryField
              ref={field}
              value={query}
              problem={problem}
              onChange={(q) => router.adjust({ q })}
            />
            {refused === undefined && <Count sessions={shown} isAsking={isAsking} />}
            <MinutesChart query={shown.query} />
          </div>
          <SessionList sessions={shown} isCurrent={refused === undefined} />
        </>
      )}
    </main>
  );
}

interface CountProps {
  readonly sessions: Sessions;
  readonly isAsking: boolean;
}

/** How many there are, or were found so far; how far the index is, when that takes time. */
function Count({ sessions, isAsking }: CountProps) {
  const count = useCell(sessions.order).length;
  const state = useCell(sessions.state);
  const more = sessions.hasMore ? ' and more' : '';
  const behind = sessions.index?.changes_behind ?? 0;
  return (
    <span className="ins-sessions__count" role="status">
      {isAsking && 'looking'}
      {!isAsking && state.kind === 'loading' && 'loading'}
      {!isAsking && state.kind === 'ready' && plural(count, 'session') + more}
      {!isAsking && state.kind === 'ready' && sessions.query !== '' && ' found'}
      {!isAsking && behind > 1000 && `, ${plural(behind, 'change')} still being indexed`}
      {!isAsking && sessions.query !== '' && sessions.hasMore && (
        <button type="button" className="ins-sessions__more" onClick={() => sessions.loadMore()}>
          Look further
        </button>
      )}
    </span>
  );
}

function queryProblem(sessions: Sessions): QueryProblem | undefined {
  const state = sessions.state.get();
  if (state.kind !== 'failed' || typeof state.problem?.position !== 'number') return undefined;
  const { position, length } = state.problem;
  return { query: sessions.query, message: state.message, position, length: length ?? 0 };
}
