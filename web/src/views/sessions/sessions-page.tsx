/** `/ui/`: all sessions, newest first. */
import { useEffect, useMemo, useRef } from 'react';
import { plural } from '../../model/format.ts';
import { matchesFilter, parseFilter } from '../../model/session-order.ts';
import { useCell, useInspector, useRoute, useVersion } from '../context.ts';
import { useKeys } from '../keys.ts';
import { SearchField } from '../search-field.tsx';
import { EmptySessions } from './empty-sessions.tsx';
import { MinutesChart } from './minutes-chart.tsx';
import { SessionList } from './session-list.tsx';
import './sessions-page.css';

export function SessionsPage() {
  const { sessions, router } = useInspector();
  const filter = useRoute().query.get('q') ?? '';
  const order = useCell(sessions.order);
  const state = useCell(sessions.state);
  const field = useRef<HTMLInputElement>(null);
  useKeys(useMemo(() => ({ '/': () => field.current?.focus() }), []));
  useEffect(() => {
    document.title = 'Sessions · Inspector';
  }, []);
  const version = useVersion(sessions.rows, filter !== '');
  // biome-ignore lint/correctness/useExhaustiveDependencies: a row that changed may match now
  const shown = useMemo(() => {
    const terms = parseFilter(filter);
    if (terms.length === 0) return order;
    return order.filter((id) => {
      const session = sessions.rows.get(id);
      return session !== undefined && matchesFilter(session, terms);
    });
  }, [filter, order, sessions, version]);

  return (
    <main className="ins-sessions">
      <h1 className="ins-hidden">Sessions</h1>
      {state.kind === 'failed' && (
        <p className="ins-sessions__problem" role="alert">
          {state.message}
          {state.status === 401 && ' Open the address that `inspector token` prints.'}
        </p>
      )}
      {state.kind === 'ready' && order.length === 0 ? (
        <EmptySessions />
      ) : (
        <>
          <div className="ins-sessions__tools">
            <SearchField
              ref={field}
              value={filter}
              label="Filter sessions"
              placeholder="Filter: words, status:running, agent:planner, model:gpt"
              onChange={(q) => router.adjust({ q })}
            />
            <span className="ins-sessions__count" role="status">
              {state.kind === 'loading'
                ? 'loading'
                : filter === ''
                  ? plural(order.length, 'session') + (sessions.hasMore ? ' and more' : '')
                  : `${shown.length} of ${plural(order.length, 'session')}`}
            </span>
            <MinutesChart />
          </div>
          <SessionList ids={shown} isFiltered={filter !== ''} />
        </>
      )}
    </main>
  );
}
