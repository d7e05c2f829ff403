/** Search results by session: only the rows in view are in the document. Arrows walk it. */

import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Excerpt, SearchHit } from '../../api/types.ts';
import { formatDuration, plural } from '../../model/text/format.ts';
import { plainLine } from '../../model/text/hidden-characters.ts';
import { keyInSession, spanKey } from '../../model/trace/span-key.ts';
import { sessionPath, spanPath } from '../../state/route.ts';
import type { FoundSession, Search } from '../../state/search.ts';
import { SEARCH_PAGE_TEXT, SEARCH_TEXT, SESSION_STATUS } from '../../texts.ts';
import { useCell, useInspector } from '../parts/context.ts';
import { KindIcon, kindName, StatusIcon } from '../parts/icons.tsx';
import { rowsOf, useListFocus } from '../parts/list-focus.ts';
import { useRowHeight } from '../parts/row-height.ts';
import { useRangeWith } from '../parts/rows.ts';
import { useTimes } from '../parts/times.tsx';
import { VisibleText } from '../parts/visible-text.tsx';

const SESSION_PX = 40;
const HIT_PX = 30;
const EXCERPT_PX = 20;
const OVERSCAN = 10;

type FoundRow =
  | { readonly kind: 'session'; readonly key: string; readonly of: FoundSession }
  | { readonly kind: 'hit'; readonly key: string; readonly hit: SearchHit };

interface FoundListProps {
  readonly search: Search;
  /** Called when a result is opened. */
  readonly onOpen: () => void;
  /** Called when ArrowUp is pressed on the first row. */
  readonly onLeave: () => void;
}

export function FoundList({ search, onOpen, onLeave }: FoundListProps) {
  const { router } = useInspector();
  const { sessions, hasMore } = useCell(search.found);
  const state = useCell(search.state);
  const isReading = useCell(search.isReading);
  const rows = useMemo(() => sessions.flatMap(linesOf), [sessions]);
  const step_px = useRowHeight(0);
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const { list, at: cursor } = useListFocus(scroller, {
    name: 'found',
    ...rowsOf(useMemo(() => rows.map(({ key }) => key), [rows])),
    isReading,
    onLeave,
  });
  const virtualizer = useVirtualizer<HTMLElement, Element>({
    count: rows.length,
    getScrollElement: useCallback(() => scroller, [scroller]),
    estimateSize: useCallback((at: number) => height(rows[at], step_px), [rows, step_px]),
    getItemKey: useCallback((at: number) => rows[at]?.key ?? at, [rows]),
    overscan: OVERSCAN,
    rangeExtractor: useRangeWith(cursor),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows have other heights
  useEffect(() => virtualizer.measure(), [rows, step_px, virtualizer]);

  const open = (path: string) => {
    onOpen();
    router.push(path);
  };
  return (
    <section
      className="ins-found__scroller"
      aria-label={SEARCH_PAGE_TEXT.found}
      ref={setScroller}
      {...list}
    >
      <ol className="ins-found__rows" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          return (
            <li
              key={item.key}
              data-row={row.key}
              className={`ins-found__row ins-found__row--${row.kind}`}
              style={{ transform: `translateY(${item.start}px)`, height: item.size }}
            >
              {row.kind === 'session' ? (
                <SessionHead of={row.of} isTab={item.index === cursor} onOpen={open} />
              ) : (
                <Hit hit={row.hit} isTab={item.index === cursor} onOpen={open} />
              )}
            </li>
          );
        })}
      </ol>
      {rows.length === 0 && state.kind === 'ready' && !isReading && (
        <p className="ins-found__none">{hasMore ? SEARCH_TEXT.noneYet : SEARCH_TEXT.none}</p>
      )}
      {hasMore && (
        <button
          type="button"
          className="ins-link ins-found__more"
          disabled={isReading}
          onClick={() => void search.more()}
        >
          {isReading ? SEARCH_TEXT.searching : SEARCH_TEXT.more}
        </button>
      )}
    </section>
  );
}

function linesOf(of: FoundSession): FoundRow[] {
  return [
    { kind: 'session', key: of.id, of },
    ...of.hits.map(
      (hit) => ({ kind: 'hit', key: keyInSession(of.id, spanKey(hit.span)), hit }) as const,
    ),
  ];
}

function height(row: FoundRow | undefined, step_px: number): number {
  if (row === undefined) return SESSION_PX;
  if (row.kind === 'session') {
    return (
      SESSION_PX + step_px + EXCERPT_PX * excerptsBelow(row.of.session?.excerpts, 'title').length
    );
  }
  const { excerpts } = row.hit;
  const lines = excerptsBelow(excerpts, 'name').length + (errorBelow(row.hit) === null ? 0 : 1);
  return HIT_PX + step_px + EXCERPT_PX * lines;
}

/** Why a span failed, unless the words of the query are in it and it is among the excerpts. */
function errorBelow({ error, excerpts }: SearchHit): string | null {
  const isShown = ({ place }: Excerpt) => place === 'status' || place.startsWith('exception.');
  return excerpts?.some(isShown) ? null : error;
}

/** Excerpts shown below a result; a match in its name is marked in the name. */
function excerptsBelow(
  excerpts: readonly Excerpt[] | undefined,
  name: 'name' | 'title',
): readonly Excerpt[] {
  return (excerpts ?? []).filter(({ place }) => place !== name);
}

interface OpenProps {
  /** Whether the row is the tab stop of the list. */
  readonly isTab: boolean;
  readonly onOpen: (path: string) => void;
}

function SessionHead({ of, isTab, onOpen }: OpenProps & { readonly of: FoundSession }) {
  const times = useTimes();
  const path = sessionPath(of.id);
  const details = [
    ...(of.hits.length > 0 ? [`${plural(of.hits.length, 'span')} found`] : []),
    SESSION_STATUS[of.status],
    times.when(of.started_at, Date.now()),
  ];
  const inTitle = of.session?.excerpts?.find(({ place }) => place === 'title');
  return (
    <>
      <h2 className="ins-found__session">
        <StatusIcon shape={of.status} />
        <FoundLink path={path} isTab={isTab} onOpen={onOpen} title={plainLine(of.title || of.id)}>
          {inTitle === undefined ? plainLine(of.title || of.id) : <Marked excerpt={inTitle} />}
        </FoundLink>
        <small title={details.join(', ')}>{details.join(', ')}</small>
      </h2>
      <Excerpts of={excerptsBelow(of.session?.excerpts, 'title')} />
    </>
  );
}

function Hit({ hit, isTab, onOpen }: OpenProps & { readonly hit: SearchHit }) {
  const { span } = hit;
  const error = errorBelow(hit);
  const inName = hit.excerpts?.find(({ place }) => place === 'name');
  return (
    <>
      <div className="ins-found__hit">
        <KindIcon kind={span.kind} />
        <FoundLink
          path={spanPath(hit.session_id, spanKey(span))}
          isTab={isTab}
          onOpen={onOpen}
          title={plainLine(span.name)}
        >
          {inName === undefined ? plainLine(span.name) : <Marked excerpt={inName} />}
          <span className="ins-hidden">, {kindName(span.kind)}</span>
        </FoundLink>
        {span.status === 'error' && <span className="ins-found__error">{SEARCH_TEXT.error}</span>}
        <small>{span.duration_ns === null ? span.status : formatDuration(span.duration_ns)}</small>
      </div>
      {error !== null && (
        <p className="ins-found__excerpt">
          <span className="ins-found__place">{SEARCH_TEXT.error}</span>
          <span
            className="ins-found__text ins-found__text--error"
            dir="auto"
            title={plainLine(error, 400)}
          >
            <VisibleText text={oneLine(error)} />
          </span>
        </p>
      )}
      <Excerpts of={excerptsBelow(hit.excerpts, 'name')} />
    </>
  );
}

/** Places of the words, each on a line with the field that it is in. */
function Excerpts({ of }: { readonly of: readonly Excerpt[] }) {
  return of.map((excerpt) => (
    <p key={`${excerpt.place} ${excerpt.match}`} className="ins-found__excerpt" dir="ltr">
      <span className="ins-found__place" title={excerpt.place}>
        {placeName(excerpt.place)}
      </span>
      <span
        className="ins-found__text"
        title={plainLine(`${excerpt.before}${excerpt.match}${excerpt.after}`, 400)}
      >
        <Marked excerpt={excerpt} />
      </span>
    </p>
  ));
}

function Marked({ excerpt }: { readonly excerpt: Excerpt }) {
  return (
    <>
      <span className="ins-found__before">
        <span>
          <VisibleText text={oneLine(excerpt.before)} />
        </span>
      </span>
      <span className="ins-found__match">
        <mark>
          <VisibleText text={oneLine(excerpt.match)} />
        </mark>
        <VisibleText text={oneLine(excerpt.after)} />
      </span>
    </>
  );
}

/** An excerpt on one line, without its line breaks. */
function oneLine(text: string): string {
  return text.replace(/[\s]+/g, ' ');
}

/**
 * Name of an attribute: `gen_ai.tool.call.result` is the result of a tool call; for others, the end
 * of the key.
 */
function placeName(place: string): string {
  if (place === 'status') return SEARCH_TEXT.error;
  if (place === 'event') return place;
  return plainLine(place.split('.').slice(-2).join(' ').replaceAll('_', ' '), 28);
}

interface FoundLinkProps extends OpenProps {
  /** Tooltip with the full text, which may be clipped. */
  readonly title: string;
  readonly path: string;
  readonly children: React.ReactNode;
}

function FoundLink({ path, title, isTab, onOpen, children }: FoundLinkProps) {
  return (
    <a
      data-focus=""
      href={path}
      title={title}
      tabIndex={isTab ? 0 : -1}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        onOpen(path);
      }}
    >
      {children}
    </a>
  );
}
