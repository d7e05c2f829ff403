/** `/ui/search`: search for spans and sessions in the whole store, by query. */

import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { Cell } from '../../state/cell.ts';
import { withRecent } from '../../state/preferences.ts';
import { Search } from '../../state/search.ts';
import type { LoadState } from '../../state/sessions.ts';
import { SEARCH_PAGE_TEXT, SEARCH_TEXT } from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { useCell, useInspector, useRoute, useTitle } from '../parts/context.ts';
import { walkRows } from '../parts/list-focus.ts';
import { QueryField, queryProblem } from '../parts/query-field.tsx';
import { UnsearchedLine } from '../parts/unsearched.tsx';
import { FoundList } from './found-list.tsx';
import { SearchStart } from './search-start.tsx';
import { TermChips } from './term-chips.tsx';
import '../parts/chips.css';
import './search-page.css';

/** Pause after the last key before a search. */
const TYPING_MS = 250;

export function SearchPage() {
  const { router, preferences } = useInspector();
  const query = useRoute().query.get('q') ?? '';
  const [again, setAgain] = useState(0);
  const search = useSearch(query.trim(), again);
  const field = useRef<HTMLInputElement>(null);
  const actions = useMemo(
    () => [{ name: SEARCH_TEXT.focus, keys: ['/'], run: () => field.current?.focus() }],
    [],
  );
  useActions(SEARCH_PAGE_TEXT.search, actions);
  useTitle(query.trim() === '' ? SEARCH_PAGE_TEXT.search : `${query} · Search`);
  useEffect(() => {
    if (router.route.get().query.get('q') === null) field.current?.focus();
  }, [router]);
  const change = (q: string) => router.adjust({ q });
  const remember = () => {
    if (query.trim() === '') return;
    const { recentSearches } = preferences.get();
    preferences.change({ recentSearches: withRecent(recentSearches, query.trim()) });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.defaultPrevented || event.target !== field.current) return;
    if (event.key === 'Enter') remember();
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    event.currentTarget.querySelector<HTMLElement>('[data-list="found"]')?.focus();
    walkRows('Home');
  };
  const state = useCell(search?.state ?? READY);
  return (
    <main className="ins-found" onKeyDown={onKeyDown}>
      <h1 className="ins-hidden">{SEARCH_PAGE_TEXT.heading}</h1>
      <div className="ins-found__tools">
        <QueryField
          ref={field}
          label={SEARCH_PAGE_TEXT.heading}
          value={query}
          problem={queryProblem(search?.query ?? '', state)}
          onChange={change}
          offersOnFocus={false} // it has the focus from the start, and examples are below
        />
        {search !== undefined && <Count search={search} state={state} />}
      </div>
      {query.trim() !== '' && <TermChips query={query} onChange={change} />}
      {state.kind === 'failed' && state.problem?.code !== 'bad_query' && (
        <p className="ins-found__problem" role="alert">
          {state.message}{' '}
          <button type="button" className="ins-link" onClick={() => void search?.more()}>
            {SEARCH_PAGE_TEXT.tryAgain}
          </button>
        </p>
      )}
      {search === undefined ? (
        <SearchStart onChoose={change} />
      ) : (
        <>
          <Unsearched search={search} onAgain={() => setAgain((times) => times + 1)} />
          <FoundList
            key={search.query}
            search={search}
            onOpen={remember}
            onLeave={() => field.current?.focus()}
          />
        </>
      )}
    </main>
  );
}

const READY = new Cell<LoadState>({ kind: 'ready' });

/** The search of a query, started after a pause in typing; undefined without a query. */
function useSearch(query: string, again: number): Search | undefined {
  const { api } = useInspector();
  const [search, setSearch] = useState<Search>();
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for again, it is searched again
  useEffect(() => {
    const next = query === '' ? undefined : new Search(api, query);
    const begin = () => {
      setSearch(next);
      void next?.more();
    };
    // What a link names is looked for at once.
    const timer = setTimeout(begin, isFirst.current || query === '' ? 0 : TYPING_MS);
    isFirst.current = false;
    return () => {
      clearTimeout(timer);
      next?.close();
    };
  }, [api, query, again]);
  return query === '' ? undefined : search;
}

interface UnsearchedProps {
  readonly search: Search;
  readonly onAgain: () => void;
}

/** More pages do not bring what an earlier one left out: that is another search. */
function Unsearched({ search, onAgain }: UnsearchedProps) {
  return <UnsearchedLine parts={useCell(search.found).unsearched} onAgain={onAgain} />;
}

interface CountProps {
  readonly search: Search;
  readonly state: LoadState;
}

/** Number of results so far, and progress of the index. */
function Count({ search, state }: CountProps) {
  const { sessions, spanCount, hasMore, index } = useCell(search.found);
  const isReading = useCell(search.isReading);
  if (state.kind === 'failed') return <span className="ins-found__count" role="status" />;
  const behind = index?.changes_behind ?? 0;
  return (
    <span className="ins-found__count" role="status">
      {state.kind === 'loading' || (isReading && spanCount === 0)
        ? SEARCH_TEXT.searching
        : SEARCH_PAGE_TEXT.spansFound(spanCount, sessions.length, hasMore)}
      {behind > 0 && SEARCH_TEXT.behind(behind)}
    </span>
  );
}
