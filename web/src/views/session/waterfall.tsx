/**
 * The span tree with its bars.
 *
 * Rows are elements, bars are drawn on a canvas that lies over the visible rows and scrolls with
 * them.
 */
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { SpanRow } from '../../api/types.ts';
import { extentOfRows } from '../../model/timeline/time-scale.ts';
import { deepestRunning } from '../../model/trace/live-branches.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import { DEFAULTS } from '../../state/preferences.ts';
import type { Trace } from '../../state/trace.ts';
import { PARTS_TEXT, spansRead, TIME_TEXT, WATERFALL_TEXT } from '../../texts.ts';
import { useActor } from '../parts/actor-filter.tsx';
import { useCell, useInspector, usePreferences, useRoute, useSize } from '../parts/context.ts';
import { matchesFind } from '../parts/find.ts';
import { follow } from '../parts/follow.ts';
import { useListFocus } from '../parts/list-focus.ts';
import { LoadingRows } from '../parts/loading-rows.tsx';
import { NewPill } from '../parts/new-pill.tsx';
import { useRowHeight } from '../parts/row-height.ts';
import { useScrollAnchor } from '../parts/scroll-anchor.ts';
import { useWaiting } from '../parts/waiting.ts';
import { useFollowEnd } from './follow-end.ts';
import { HoverCard } from './hover-card.tsx';
import { Minimap } from './minimap.tsx';
import { useElementKeys, useRowWindow } from './row-window.ts';
import { Scrubber } from './scrubber.tsx';
import { useSessionShape } from './session-shape.ts';
import { SpanTreeRow } from './span-tree-row.tsx';
import { useTimeKeys, useTimeWindow, useWheel } from './time-window.ts';
import { type TreeView, useTreeView } from './tree-view.ts';
import { useTravel } from './use-time-travel.ts';
import { useWaterfallCanvas } from './use-waterfall-canvas.ts';
import { WaterfallTools } from './waterfall-tools.tsx';
import './waterfall.css';

const ROW_PX = 24;
const MIN_TREE_PX = 140;
/** Width below which names come before bars. */
const NARROW_PX = 480;

interface WaterfallProps {
  readonly trace: Trace;
  readonly selected: string | undefined;
  readonly onSelect: (key: string | undefined) => void;
}

export function Waterfall({ trace, selected, onSelect }: WaterfallProps) {
  const { preferences, router } = useInspector();
  const { tree_px } = usePreferences();
  const row_px = useRowHeight(ROW_PX);
  const { query } = useRoute();
  const find = query.get('find') ?? '';
  const isErrorsOnly = query.get('only') === 'errors';
  const actor = useActor();
  const services = useServices(trace);
  const areShort = query.has('gaps') ? query.get('gaps') === 'short' : undefined;
  const isPathShown = query.get('path') !== 'off';
  const waiting = useWaiting(trace);
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const anchorKeys = useCallback(() => {
    const pointed = scroller?.querySelector<HTMLElement>('[data-row]:hover')?.dataset['row'];
    return [pointed, selected].filter((key) => key !== undefined);
  }, [scroller, selected]);
  const tree = useTreeView(trace, isErrorsOnly, actor, anchorKeys);
  const { width_px, height_px } = useSize(scroller);
  const isChosen = tree_px !== DEFAULTS.tree_px;
  const most_px = width_px * (isChosen || width_px < NARROW_PX ? 0.6 : 0.5);
  const treeWidth_px = Math.max(MIN_TREE_PX, Math.min(tree_px, most_px));
  const bars_px = Math.max(0, width_px - treeWidth_px);

  const { first, count, total_px } = useRowWindow(scroller, tree.rows.count, row_px, height_px);

  useScrollAnchor({
    scroller,
    row_px,
    keyAt: tree.keyAt,
    count: tree.rows.count,
    of: tree.rows,
  });
  const isAtEnd = () => total_px - height_px - (scroller?.scrollTop ?? 0) < row_px;
  const newBelow = useFollowEnd(scroller, trace, total_px > height_px, isAtEnd, tree.rows);

  // The time axis is that of the whole, so that bars stand still while one goes through it.
  const { whole } = trace;
  const travel = useTravel();
  const shape = useSessionShape(whole, areShort, isPathShown);
  const isShort = shape.axis.gaps.length > 0;
  const timeWindow = useTimeWindow(whole, bars_px, shape.axis);
  useWheel(scroller, timeWindow, treeWidth_px);
  const matches = useCallback((span: SpanRow) => find === '' || matchesFind(span, find), [find]);
  const { barsRef, axisRef } = useWaterfallCanvas({
    trace,
    tree,
    first,
    count,
    bars_px,
    row_px,
    viewport_px: height_px,
    timeWindow,
    waiting,
    matches,
    shape,
  });

  const {
    list,
    key: cursor,
    at: cursorRow,
    goTo,
  } = useListFocus(scroller, {
    name: 'spans',
    count: tree.rows.count,
    keyAt: tree.keyAt,
    indexOf: tree.rowOf,
    selected,
    reveal: tree.reveal,
    page: Math.max(1, Math.floor(height_px / row_px) - 1),
    onMove: (key) => {
      if (selected !== undefined) onSelect(key);
    },
    onOpen: onSelect,
    tree: {
      isOpen: (row) => (tree.hasChildren(row) ? !tree.isFolded(row) : undefined),
      fold: (row, isFolded) => tree.fold(keyOf(tree, row), isFolded),
      parentOf: (row) => tree.rowOf(tree.parentOf(row) ?? ''),
    },
  });
  // A running session opens where it runs.
  const isReady = useCell(trace.state).kind === 'ready';
  const hasOpened = useRef(cursor !== undefined);
  const followEnd = useRef(newBelow.follow);
  useLayoutEffect(() => {
    followEnd.current = newBelow.follow;
  });
  useEffect(() => {
    if (!isReady || hasOpened.current || scroller === null) return;
    hasOpened.current = true;
    const newest = deepestRunning(trace.forest, trace.tally.running)[0];
    if (newest === undefined || trace.session.get()?.ended_at !== null) return;
    followEnd.current();
    goTo(spanKey(newest), false);
  }, [isReady, trace, scroller, goTo]);
  const at_ns = useCell(trace.at_ns);
  const { fitTo, now_ns } = timeWindow;
  const zoomToRows = useCallback(() => {
    const top = Math.floor((scroller?.scrollTop ?? 0) / row_px);
    const inView = Array.from({ length: Math.ceil(height_px / row_px) }, (_, at) => top + at);
    const rows = inView.flatMap((row) => {
      const span = tree.spanAt(row);
      return span === undefined ? [] : [{ span, depth: tree.rows.depth[row] ?? 0 }];
    });
    const extent = extentOfRows(rows, at_ns ?? now_ns());
    if (extent !== undefined) fitTo(extent);
  }, [scroller, row_px, height_px, tree, fitTo, now_ns, at_ns]);
  useTimeKeys(timeWindow, zoomToRows);

  const options = useMemo(
    () => ({
      errorsOnly: {
        isOn: isErrorsOnly,
        toggle: () => router.adjust({ only: isErrorsOnly ? undefined : 'errors' }),
      },
      shortGaps: {
        isOn: isShort,
        toggle: () => {
          const isDefault = shape.areShortByDefault !== isShort;
          router.adjust({ gaps: isDefault ? undefined : isShort ? 'long' : 'short' });
        },
      },
      path: {
        isOn: isPathShown,
        toggle: () => router.adjust({ path: isPathShown ? 'off' : undefined }),
      },
    }),
    [router, isErrorsOnly, isShort, shape.areShortByDefault, isPathShown],
  );
  const setFind = useCallback((text: string) => router.adjust({ find: text }), [router]);
  const jump = useCallback(
    (offset_ns: number) => {
      const row = firstRowAfter(tree, offset_ns);
      if (row !== undefined && scroller !== null) scroller.scrollTop = row * row_px;
    },
    [tree, scroller, row_px],
  );
  // The row of the cursor stays in the document wherever one scrolls: it has the focus.
  const rows = Array.from({ length: count }, (_, at) => first + at);
  if (cursorRow >= 0 && !rows.includes(cursorRow)) rows.push(cursorRow);
  const shown = rows.map((row) => ({ row, key: keyOf(tree, row) }));
  const elements = useElementKeys(shown.map(({ key }) => key));

  return (
    <section className="ins-fall" aria-label={WATERFALL_TEXT.spans}>
      <WaterfallTools
        trace={trace}
        tree={tree}
        timeWindow={timeWindow}
        cursor={cursor}
        find={find}
        options={options}
        gaps={shape.gaps.length}
        onFind={setFind}
        onGoTo={onSelect}
        onZoomToRows={zoomToRows}
      />
      <div className="ins-minimap-clip">
        <Minimap trace={whole} shape={shape} timeWindow={timeWindow} onJump={jump} />
        {travel !== undefined && (
          <Scrubber travel={travel} scale={shape} view={timeWindow.whole()} />
        )}
      </div>
      <div className="ins-fall__head">
        <span className="ins-fall__head-name" style={{ width: treeWidth_px }}>
          {WATERFALL_TEXT.span}
        </span>
        <div
          className="ins-fall__divider"
          role="separator"
          aria-orientation="vertical"
          aria-label={WATERFALL_TEXT.namesWidth}
          aria-valuenow={Math.round(treeWidth_px)}
          tabIndex={-1}
          onPointerDown={(event) =>
            follow(event, (x) => {
              const left = scroller?.getBoundingClientRect().left ?? 0;
              preferences.change({ tree_px: Math.round(Math.max(MIN_TREE_PX, x - left)) });
            })
          }
        />
        <canvas
          ref={axisRef}
          className="ins-fall__axis"
          aria-hidden="true"
          {...timeWindow.dragHandlers}
        />
      </div>
      {tree.rows.count === 0 && <Nothing trace={trace} />}
      <div
        ref={setScroller}
        className="ins-fall__scroller"
        role="tree"
        aria-label={WATERFALL_TEXT.spanTree}
        {...list}
        style={{ '--tree-width': `${treeWidth_px}px`, '--row': `${row_px}px` } as object}
      >
        <div className="ins-fall__rows" style={{ height: total_px }}>
          {shown.map(({ row, key }) => (
            <SpanTreeRow
              key={elements.get(key)}
              spanKey={key}
              trace={trace}
              top_px={row * row_px}
              depth={tree.rows.depth[row] ?? 0}
              hasChildren={tree.hasChildren(row)}
              isFolded={tree.isFolded(row)}
              hasErrorBelow={tree.hasErrorBelow(row)}
              position={tree.rows.position[row] ?? 1}
              siblings={tree.siblingsOf(row)}
              isSelected={key === selected}
              isCursor={key === cursor}
              isWaiting={waiting.has(key)}
              services={services}
              find={find}
              onPick={onSelect}
              onFold={tree.fold}
            />
          ))}
          <canvas
            ref={barsRef}
            className="ins-fall__bars"
            aria-hidden="true"
            style={{ transform: `translateY(${first * row_px}px)`, left: treeWidth_px }}
          />
        </div>
      </div>
      <HoverCard
        scroller={scroller}
        trace={trace}
        tree={tree}
        row_px={row_px}
        left_px={treeWidth_px}
      />
      {!isReady && tree.rows.count > 0 && (
        <p className="ins-fall__reading" role="status">
          {spansRead(trace.spans.size, trace.session.get()?.span_count)}
        </p>
      )}
      {newBelow.count > 0 && (
        <NewPill count={newBelow.count} direction="down" onClick={newBelow.follow} />
      )}
    </section>
  );
}

function keyOf(tree: TreeView, row: number): string {
  const key = tree.keyAt(row);
  if (key === undefined) throw new RangeError(`no span in row ${row} of ${tree.rows.count}`);
  return key;
}

/** The row of the first span that starts after an offset. */
function firstRowAfter(tree: TreeView, offset_ns: number): number | undefined {
  let first: { row: number; offset_ns: number } | undefined;
  for (let row = 0; row < tree.rows.count; row += 1) {
    const at_ns = tree.spanAt(row)?.offset_ns ?? Number.NEGATIVE_INFINITY;
    if (at_ns < offset_ns || (first !== undefined && at_ns >= first.offset_ns)) continue;
    first = { row, offset_ns: at_ns };
  }
  return first?.row;
}

const LENGTHS = [62, 48, 40, 44, 30, 36, 24];

function Nothing({ trace }: { readonly trace: Trace }) {
  const state = useCell(trace.state);
  if (state.kind === 'ready') {
    const isBefore = trace.whole.spans.size > 0;
    return <p className="ins-fall__none">{isBefore ? TIME_TEXT.noSpan : PARTS_TEXT.noSpans}</p>;
  }
  return <LoadingRows lengths={LENGTHS} />;
}

/** The services of a session, the same list until there is another one. */
function useServices(trace: Trace): readonly string[] {
  const names = JSON.stringify(useCell(trace.session)?.services ?? []);
  return useMemo(() => JSON.parse(names) as string[], [names]);
}
