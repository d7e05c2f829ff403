/** `/ui/causes`: what the sessions of a filter failed from, alike causes in one group. */
import { useCallback, useMemo, useRef, useState } from 'react';
import type { CauseGroup, CauseList } from '../../api/types.ts';
import { boundsOf, parseTimeRange, type TimeRange } from '../../model/sessions/time-range.ts';
import { seenText } from '../../model/text/hidden-characters.ts';
import { CAUSE, comparePath, filteredPath, spanPath } from '../../state/route.ts';
import {
  CAUSE_TEXT,
  causePeak,
  causeSeen,
  causeSessions,
  causeStarts,
  causesCountedFrom,
  causesShown,
} from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { useInspector, useNow, useRoute, useTitle } from '../parts/context.ts';
import { Link } from '../parts/link.tsx';
import { rowsOf, useListFocus } from '../parts/list-focus.ts';
import { LoadingRows } from '../parts/loading-rows.tsx';
import { QueryField, queryProblem } from '../parts/query-field.tsx';
import { TimeChoice } from '../parts/time-choice.tsx';
import { useTimes } from '../parts/times.tsx';
import { UnsearchedLine } from '../parts/unsearched.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import './causes-page.css';

const LENGTHS = [62, 48, 56, 40];
const MOST_CAUSES = 200;

interface Question {
  readonly query: string;
  readonly range: TimeRange;
}

export function CausesPage() {
  const { api, clock, router } = useInspector();
  const address = useRoute().query;
  const query = (address.get('q') ?? '').trim();
  const time = address.get('time') ?? undefined;
  const range = useMemo(() => parseTimeRange(time ?? null), [time]);
  const question = useMemo((): Question => ({ query, range }), [query, range]);
  const ask = useCallback(
    ({ query, range }: Question, signal: AbortSignal): Promise<CauseList> => {
      const q = query === '' ? {} : { q: query };
      const most = { limit: MOST_CAUSES };
      return api.causes({ ...q, ...most, ...boundsOf(range, clock.now_ms()) }, signal);
    },
    [api, clock],
  );
  const { found, isCurrent, state } = useAnswer(question, ask);
  const field = useRef<HTMLInputElement>(null);
  const clear = useCallback(() => router.adjust({ q: undefined, time: undefined }), [router]);
  const actions = useMemo(
    () => [{ name: 'Filter', keys: ['/'], run: () => field.current?.focus() }],
    [],
  );
  useActions(CAUSE_TEXT.page, actions);
  useTitle(CAUSE_TEXT.page);
  const now_ms = useNow(60_000);
  const times = useTimes();
  const problem = queryProblem(query, state);
  const list = found?.answer;
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const keys = useMemo(() => list?.groups.map(({ key }) => key) ?? [], [list]);
  const focus = useListFocus(scroller, { name: 'causes', ...rowsOf(keys) });
  const isFiltered = query !== '' || time !== undefined;
  return (
    <main className="ins-causes">
      <h1 className="ins-hidden">{CAUSE_TEXT.heading}</h1>
      <div className="ins-causes__tools">
        <QueryField
          ref={field}
          value={address.get('q') ?? ''}
          problem={problem}
          onChange={(q) => router.adjust({ q })}
        />
        <span className="ins-causes__count" role="status">
          {problem === undefined && !isCurrent && state.kind === 'loading' && CAUSE_TEXT.counting}
          {list !== undefined &&
            isCurrent &&
            causesShown(list.groups.length, list.group_count, list.session_count)}
        </span>
        <span className="ins-causes__gap" />
        <TimeChoice range={range} />
      </div>
      {state.kind === 'failed' && problem === undefined && (
        <p className="ins-causes__problem" role="alert">
          {state.message}
        </p>
      )}
      <UnsearchedLine parts={list?.partial ?? []} />
      {list?.counted_from != null && (
        <p className="ins-causes__remark">
          {causesCountedFrom(times.when(list.counted_from, now_ms))}
        </p>
      )}
      <section
        ref={setScroller}
        className={`ins-causes__scroller${isCurrent ? '' : ' ins-causes__scroller--stale'}`}
        aria-label={CAUSE_TEXT.heading}
        aria-busy={!isCurrent}
        {...focus.list}
      >
        {list === undefined && state.kind === 'loading' && <LoadingRows lengths={LENGTHS} />}
        {list !== undefined && list.groups.length > 0 && (
          <ol className="ins-causes__list">
            {list.groups.map((group) => (
              <Cause
                key={group.key}
                group={group}
                isCurrentRow={group.key === focus.key}
                list={list}
                filter={{ q: query, time }}
                now_ms={now_ms}
              />
            ))}
          </ol>
        )}
        {isCurrent && list?.groups.length === 0 && (
          <p className="ins-causes__none">
            {isFiltered ? CAUSE_TEXT.noneFound : CAUSE_TEXT.none}{' '}
            {isFiltered && (
              <button type="button" className="ins-link" onClick={clear}>
                {CAUSE_TEXT.clear}
              </button>
            )}
          </p>
        )}
      </section>
    </main>
  );
}

interface CauseProps {
  readonly group: CauseGroup;
  readonly isCurrentRow: boolean;
  readonly list: CauseList;
  readonly filter: { readonly q: string; readonly time: string | undefined };
  readonly now_ms: number;
}

function Cause({ group, isCurrentRow, list, filter, now_ms }: CauseProps) {
  const { example, good_session_id: good } = group;
  const narrowed = filter.q === '' ? '' : /\bOR\b/.test(filter.q) ? `(${filter.q})` : filter.q;
  const q = `${narrowed} cause_key:${group.key}`.trim();
  const times = useTimes();
  const first = times.when(group.first_seen, now_ms);
  const last = times.when(group.last_seen, now_ms);
  return (
    <li
      data-row={group.key}
      className={`ins-causes__cause${group.failed_count === 0 ? ' ins-causes__cause--recovered' : ''}`}
    >
      <Link
        className="ins-causes__text"
        to={filteredPath('sessions', { q, time: filter.time })}
        title={CAUSE_TEXT.showSessions}
        isCurrentRow={isCurrentRow}
      >
        {seenText(group.cause)}
      </Link>
      <p className="ins-causes__facts">
        <strong>{causeSessions(group.session_count, group.failed_count)}</strong>
        {' · '}
        {causeSeen(first, last)}
      </p>
      <Sparkline group={group} list={list} now_ms={now_ms} />
      <p className="ins-causes__links">
        <Link className="ins-link" to={spanPath(example.id, CAUSE)} title={example.cause ?? ''}>
          {CAUSE_TEXT.example}
        </Link>
        {good === null ? (
          <span>{CAUSE_TEXT.noGoodRun}</span>
        ) : (
          <Link className="ins-link" to={comparePath({ left: good, right: example.id })}>
            {CAUSE_TEXT.compare}
          </Link>
        )}
      </p>
    </li>
  );
}

const BAR_PX = 5;
const HEIGHT_PX = 24;

/** Sessions of a cause by the time of their start: the same times for all causes. */
function Sparkline({ group, list, now_ms }: Omit<CauseProps, 'filter' | 'isCurrentRow'>) {
  const times = useTimes();
  const most = Math.max(...group.counts);
  const from_ms = Date.parse(list.counts_from);
  const width_px = group.counts.length * BAR_PX;
  const starts = group.counts.map((count, at) => {
    const start = new Date(from_ms + at * list.bucket_ms).toISOString();
    return { count, text: causeStarts(count, times.when(start, now_ms)) };
  });
  const label = starts.flatMap(({ count, text }) => (count > 0 ? [text] : [])).join(', ');
  const peak = starts.find(({ count }) => count === most)?.text ?? '';
  return (
    <svg
      className="ins-causes__sparkline"
      width={width_px}
      height={HEIGHT_PX}
      viewBox={`0 0 ${width_px} ${HEIGHT_PX}`}
      role="img"
      aria-label={causePeak(peak)}
    >
      <title>{label}</title>
      {group.counts.map((count, at) => {
        const height = count === 0 ? 1 : Math.max(3, (count / most) * HEIGHT_PX);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its time
            key={at}
            className={count === 0 ? 'ins-causes__bar--none' : undefined}
            x={at * BAR_PX}
            y={HEIGHT_PX - height}
            width={BAR_PX - 1}
            height={height}
          />
        );
      })}
    </svg>
  );
}
