/** Cases of the search page: before, during and after a search. */
import type { SearchResult } from '../../src/api/types.ts';
import { SearchPage } from '../../src/views/search/search-page.tsx';
import { After, typed } from '../after.tsx';
import type { GalleryCase } from '../case.ts';
import { type Answers, AWAY, failure, ok, problem, recordedJson, silence } from '../service.ts';
import { Stage, type StageProps } from '../stage.tsx';

const MERGE = 'search?q=merge kind:tool';

/** The recorded answer with changes. */
function answering(change: Partial<SearchResult>): Answers {
  return (path) =>
    path === '/search'
      ? ok(
          JSON.stringify({ ...recordedJson<SearchResult>('/search?q=merge kind:tool'), ...change }),
        )
      : undefined;
}

/** The first page of results is read, the next one fails. */
const FAILS_LATER: Answers = (path, query) => {
  if (path !== '/search' || query.has('cursor')) {
    return path === '/search' ? problem(503, 'Busy', 'The store is busy: try again.') : undefined;
  }
  return answering({ next_cursor: 'more' })(path, query);
};

const RECENT = [
  '"merge conflict"',
  'status:error kind:tool tool:git_* duration>5s -model:*mini session(status:failed) "timed out"',
];

function search(name: string, stage: StageProps, height = 420): GalleryCase {
  return {
    name: `search, ${name}`,
    height,
    Shown: () => (
      <Stage {...stage}>
        <SearchPage />
      </Stage>
    ),
  };
}

export const cases: readonly GalleryCase[] = [
  search('before a query', { at: 'search?q=' }),
  search('asked before', { at: 'search?q=', preferences: { recentSearches: RECENT } }, 560),
  search('words', { at: MERGE }, 620),
  search('spans', { at: 'search?q=kind:tool' }, 620),
  search('nothing found', { at: 'search?q="these very words"' }, 240),
  search(
    'nothing so far',
    { at: MERGE, answers: answering({ spans: [], sessions: [], next_cursor: 'more' }) },
    240,
  ),
  search('some, then failed', { at: MERGE, answers: FAILS_LATER }, 420),
  search('failed', { at: MERGE, answers: failure }, 240),
  search('loading', { at: MERGE, answers: silence }, 240),
  search(
    'index is behind',
    { at: MERGE, answers: answering({ index: { is_complete: false, changes_behind: 41_234 } }) },
    320,
  ),
  search(
    'history is away',
    {
      at: MERGE,
      answers: answering({
        partial: [{ part: 'history', writer: null, why: AWAY, since: '2026-01-01T10:00:00Z' }],
      }),
    },
    320,
  ),
  search('wrong query, suggestion', { at: 'search?q=stauts:failed' }, 240),
  {
    name: 'search, completion',
    height: 420,
    Shown: () => (
      <Stage at="search?q=">
        <After deed={typed('input', 's')}>
          <SearchPage />
        </After>
      </Stage>
    ),
  },
];
