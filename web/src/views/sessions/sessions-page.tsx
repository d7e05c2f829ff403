/** `/ui/`: the session list, with query, time range and sort. */

import { useEffect, useMemo, useRef, useState } from 'react';
import { parseSort } from '../../model/sessions/session-order.ts';
import { parseTimeRange } from '../../model/sessions/time-range.ts';
import { seenText } from '../../model/text/hidden-characters.ts';
import { passing } from '../../state/passing.ts';
import { filteredPath } from '../../state/route.ts';
import type { Selection } from '../../state/selection.ts';
import type { Sessions, Total } from '../../state/sessions.ts';
import {
  CAUSE_TEXT,
  INBOX_TEXT,
  SEARCH_TEXT,
  SESSION_LIST_TEXT,
  SHELL_TEXT,
  withKey,
} from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import {
  useCell,
  useInspector,
  useNow,
  usePreferences,
  useRoute,
  useRow,
  useTitle,
} from '../parts/context.ts';
import { Guarded } from '../parts/guarded.tsx';
import { lazyPart } from '../parts/lazy-part.ts';
import { Link } from '../parts/link.tsx';
import { useMoreTries } from '../parts/more-tries.ts';
import { QueryField, queryProblem } from '../parts/query-field.tsx';
import { TimeChoice } from '../parts/time-choice.tsx';
import { UnsearchedLine } from '../parts/unsearched.tsx';
import { ImportButton } from './file-drop.tsx';
import { SessionList } from './session-list.tsx';
import { ViewMenu } from './view-menu.tsx';
import './sessions-page.css';

const OneSpan = lazyPart(async () => (await import('./one-span.tsx')).OneSpan);
const EmptySessions = lazyPart(async () => (await import('./empty-sessions.tsx')).EmptySessions);
const SessionChart = lazyPart(async () => (await import('./session-chart.tsx')).SessionChart);
const BulkBar = lazyPart(async () => (await import('./bulk-bar.tsx')).BulkBar);
const ImportPanel = lazyPart(async () => (await import('./import-panel.tsx')).ImportPanel);

export function SessionsPage() {
  const { sessions: all, filter, router, imports, selection } = useInspector();
  const address = useRoute().query;
  const query = address.get('q') ?? '';
  const sort = parseSort(address.get('sort'));
  const time = address.get('time');
  const range = useMemo(() => parseTimeRange(time), [time]);
  useEffect(() => filter.ask(query, sort, range), [filter, query, sort, range]);
  useEffect(
    () => selection.show(filteredPath('sessions', { q: query, time: time ?? undefined })),
    [selection, query, time],
  );
  const hasSelected = useCell(selection.ids).size > 0;
  const hasImports = useCell(imports.jobs).length > 0;
  const shown = useCell(filter.shown);
  const isAsking = useCell(filter.isAsking);
  const state = useCell(shown.state);
  const unsearched = useCell(shown.unsearched);
  const isEmpty = useCell(all.order).length === 0 && unsearched.length === 0;
  useMoreTries(passing(state) ?? (unsearched.length > 0 ? unsearched : undefined), () => {
    void shown.load();
  });
  const { chart } = usePreferences();
  const field = useRef<HTMLInputElement>(null);
  const usagePath = filteredPath('usage', { q: query.trim(), time: time ?? undefined });
  const causesPath = filteredPath('causes', { q: query.trim(), time: time ?? undefined });
  const actions = useMemo(
    () => [
      { name: 'Filter', keys: ['/'], run: () => field.current?.focus() },
      { name: SESSION_LIST_TEXT.usage, keys: ['u'], run: () => router.push(usagePath) },
    ],
    [router, usagePath],
  );
  useActions('Session list', actions);
  useTitle('Sessions');
  const refused = useCell(filter.refused);
  const problem = refused && queryProblem(refused.query, refused.state.get());

  return (
    <main className="ins-sessions">
      <h1 className="ins-hidden">{SESSION_LIST_TEXT.sessions}</h1>
      {state.kind === 'failed' && refused === undefined && (
        <p className="ins-sessions__problem" role="alert">
          {state.message}
        </p>
      )}
      {state.kind === 'ready' && isEmpty && query === '' && time === null ? (
        <Guarded name={SHELL_TEXT.firstSteps} loading={null}>
          <EmptySessions />
        </Guarded>
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
            {refused === undefined && (
              <Link
                className="ins-link ins-sessions__usage"
                to={usagePath}
                title={withKey(SESSION_LIST_TEXT.usage, 'U')}
              >
                {SESSION_LIST_TEXT.usageLabel}
              </Link>
            )}
            {refused === undefined && (
              <Link
                className="ins-link ins-sessions__usage"
                to={causesPath}
                title={`${CAUSE_TEXT.open} (G E)`}
              >
                {CAUSE_TEXT.page}
              </Link>
            )}
            <span className="ins-sessions__gap" />
            <TimeChoice range={range} />
            <ViewMenu />
            <ImportButton />
          </div>
          <UnsearchedLine parts={unsearched} />
          <NamedCause query={query} sessions={shown} />
          {query !== '' && refused === undefined && (
            <Guarded name={SHELL_TEXT.narrowing} loading={null}>
              <OneSpan query={query} range={range} />
            </Guarded>
          )}
          {chart && (
            <div className="ins-sessions__chart">
              <Guarded name={SHELL_TEXT.chart} loading={null}>
                <SessionChart query={shown.query} range={range} />
              </Guarded>
            </div>
          )}
          <SessionList
            sessions={shown}
            selection={selection}
            isCurrent={refused === undefined && !isAsking}
          />
        </>
      )}
      <Guarded name={SHELL_TEXT.imports} loading={null}>
        {hasImports && <ImportPanel />}
      </Guarded>
      <Guarded name={SHELL_TEXT.selected} loading={null}>
        <Bulk isOpen={hasSelected} sessions={shown} selection={selection} />
      </Guarded>
    </main>
  );
}

interface BulkProps {
  readonly isOpen: boolean;
  readonly sessions: Sessions;
  readonly selection: Selection;
}

/** Stays mounted after the first selection, because its actions go on without one. */
function Bulk({ isOpen, ...props }: BulkProps) {
  const [wasOpen, setOpen] = useState(isOpen);
  if (isOpen && !wasOpen) setOpen(true);
  return wasOpen ? <BulkBar {...props} /> : null;
}

interface CountProps {
  readonly sessions: Sessions;
  readonly isAsking: boolean;
}

/** What a `cause_key:…` of the filter means, by the first session that has it. */
function NamedCause({ query, sessions }: { readonly query: string; readonly sessions: Sessions }) {
  const key = /(?:^|[\s(])cause_key:(\w+)/.exec(query)?.[1];
  const first = useRow(sessions.rows, useCell(sessions.order)[0] ?? '');
  if (key === undefined || first?.cause_key !== key) return null;
  return (
    <p className="ins-sessions__cause">
      {CAUSE_TEXT.cause}: {seenText(first.cause ?? '')}
    </p>
  );
}

const COUNT_AGAIN_MS = 5000;

/** Number of all sessions that are found, with the progress of the index. */
function Count({ sessions, isAsking }: CountProps) {
  const count = useCell(sessions.order).length;
  const state = useCell(sessions.state);
  const { hasMore } = sessions;
  const total = useTotal(sessions, hasMore && !isAsking);
  const isLeast = hasMore && (total === undefined || total.isLeast);
  const all = hasMore ? Math.max(count, total?.count ?? 0) : count;
  const found = SESSION_LIST_TEXT.count(all, isLeast);
  const behind = sessions.index?.changes_behind ?? 0;
  const isNarrowed = sessions.query !== '' || sessions.listing.range.kind !== 'all';
  return (
    <span className="ins-sessions__count" role="status">
      {isAsking && SEARCH_TEXT.searching}
      {!isAsking && state.kind === 'loading' && INBOX_TEXT.loading}
      {!isAsking && state.kind === 'ready' && found}
      {!isAsking && state.kind === 'ready' && isNarrowed && ` ${SEARCH_TEXT.found}`}
      {!isAsking && behind > 1000 && SEARCH_TEXT.behind(behind)}
      {!isAsking && sessions.query !== '' && sessions.hasMore && (
        <button type="button" className="ins-sessions__more" onClick={() => sessions.loadMore()}>
          {SEARCH_TEXT.more}
        </button>
      )}
    </span>
  );
}

/** Total of a list of which a part is loaded, counted again as sessions come and go. */
function useTotal(sessions: Sessions, isWanted: boolean): Total | undefined {
  const tick_ms = useNow(isWanted ? COUNT_AGAIN_MS : undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: time passes, and it is counted again
  useEffect(() => {
    if (!isWanted || document.visibilityState === 'hidden') return;
    const abort = new AbortController();
    sessions.count(abort.signal).catch(() => {});
    return () => abort.abort();
  }, [sessions, isWanted, tick_ms]);
  return useCell(sessions.total);
}
