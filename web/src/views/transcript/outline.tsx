/** Outline at the left of a long transcript: its agents and turns; one leads to its entry. */
import { useCallback, useEffect, useMemo, useState } from 'react';
import { type OutlineRow, outlineAt, outlineOf } from '../../model/transcript/outline.ts';
import type { TranscriptLayout } from '../../model/transcript/transcript.ts';
import type { Trace } from '../../state/trace.ts';
import { TRANSCRIPT_TEXT } from '../../texts.ts';
import { KindIcon, StatusIcon } from '../parts/icons.tsx';
import { rowsOf, useListFocus } from '../parts/list-focus.ts';
import { useRowHeight } from '../parts/row-height.ts';
import { useRows } from '../parts/rows.ts';
import { useSlowVersion } from '../parts/slow-version.ts';
import { VisibleText } from '../parts/visible-text.tsx';
import { plainName } from './moments.tsx';

interface OutlineProps {
  readonly trace: Trace;
  readonly layout: TranscriptLayout;
  /** Index of the first entry in view. */
  readonly first: number;
  readonly onGoTo: (id: string) => void;
}

export function Outline({ trace, layout, first, onGoTo }: OutlineProps) {
  const changed = useSlowVersion(trace);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it says when rows are newer
  const rows = useMemo(
    () => outlineOf(layout, (key) => trace.spans.get(key)),
    [layout, trace, changed],
  );
  return rows.length === 0 ? null : (
    <Rows rows={rows} current={outlineAt(rows, first)?.id} onGoTo={onGoTo} />
  );
}

const ROW_PX = 26;
const MAX_DEPTH = 6;

interface RowsProps {
  readonly rows: readonly OutlineRow[];
  /** Id of the one that is in view. */
  readonly current: string | undefined;
  readonly onGoTo: (id: string) => void;
}

function Rows({ rows, current, onGoTo }: RowsProps) {
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const ids = useMemo(() => rows.map(({ id }) => id), [rows]);
  const { list, at, goTo } = useListFocus(scroller, {
    ...rowsOf(ids),
    show: (index) => virtualizer.scrollToIndex(index),
  });
  const keyAt = useCallback((index: number) => ids[index], [ids]);
  const virtualizer = useRows(scroller, rows.length, useRowHeight(ROW_PX), keyAt, at);
  useEffect(() => {
    // It follows the entries, unless somebody walks in it.
    if (current !== undefined && scroller?.contains(document.activeElement) === false) {
      goTo(current, false);
    }
  }, [current, scroller, goTo]);
  return (
    <nav ref={setScroller} className="ins-outline" aria-label={TRANSCRIPT_TEXT.outline} {...list}>
      <div className="ins-outline__rows" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const one = rows[item.index];
          if (one === undefined) return null;
          const { id, row, turn, depth, isFailed } = one;
          const kind = turn === undefined ? 'agent' : 'turn';
          return (
            <button
              key={item.key}
              type="button"
              data-row={id}
              data-focus=""
              tabIndex={item.index === at ? 0 : -1}
              aria-current={id === current ? 'location' : undefined}
              className={`ins-outline__row ins-outline__row--${kind}${isFailed ? ' ins-outline__row--failed' : ''}`}
              style={
                {
                  transform: `translateY(${item.start}px)`,
                  '--depth': Math.min(depth, MAX_DEPTH),
                } as object
              }
              onClick={() => onGoTo(id)}
            >
              {turn === undefined ? <KindIcon kind={row.kind} /> : <TurnNumber turn={turn} />}
              <span className="ins-outline__what">
                <VisibleText text={turn === undefined ? plainName(row.name) : whatOf(one)} />
              </span>
              {isFailed && <StatusIcon shape="failed" />}
              {row.status === 'running' && <StatusIcon shape="running" />}
            </button>
          );
        })}
      </div>
    </nav>
  );
}

function TurnNumber({ turn }: { readonly turn: number }) {
  return (
    <span className="ins-outline__number">
      <span className="ins-hidden">{TRANSCRIPT_TEXT.turn(turn)} </span>
      <span aria-hidden="true">{turn}</span>
    </span>
  );
}

/** Limit of named tools; the row is no wider. */
const MAX_TOOLS = 4;

/** `search × 3, fetch`; of a turn without tools, that it answers. */
function whatOf({ tools }: OutlineRow): string {
  if (tools.size === 0) return TRANSCRIPT_TEXT.turnAnswers;
  return [...tools]
    .slice(0, MAX_TOOLS)
    .map(([name, count]) => (count === 1 ? plainName(name) : `${plainName(name)} × ${count}`))
    .join(', ');
}
