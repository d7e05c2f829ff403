// biome-ignore-all lint/a11y/useFocusableInteractive: the rows and the links in cells have the focus
/** Several runs step by step: a row a step, a column a run. */
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import type { Change, RunCell, RunStep, RunTable as Runs, Session } from '../../api/types.ts';
import { type AlignedItem, itemsOf, keyOfItem, parentOf } from '../../model/sessions/aligned.ts';
import { CHANGE_SIGNS, CHANGES } from '../../model/sessions/comparison.ts';
import { isFlawed } from '../../model/sessions/flawed.ts';
import { formatCost, formatDuration, plural } from '../../model/text/format.ts';
import { plainLine } from '../../model/text/hidden-characters.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import type { AlignedTree } from '../../state/aligned.ts';
import {
  compareAllPath,
  comparePath,
  MOST_COMPARED,
  sessionPath,
  spanPath,
} from '../../state/route.ts';
import {
  CHANGE_NAMES,
  COMPARE_TEXT,
  differencesBelow,
  runsDiffer,
  selfTime,
  sessionStatus,
  stepsBelow,
  stepsBetween,
} from '../../texts.ts';
import { useCell, useInspector } from '../parts/context.ts';
import { ActionIcon, KindIcon, kindName, StatusIcon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { isRowClick, rowsOf, useListFocus } from '../parts/list-focus.ts';
import { useRows } from '../parts/rows.ts';
import { WriterMark } from '../parts/service-mark.tsx';
import { SpanName } from '../parts/span-name.tsx';
import { When } from '../parts/times.tsx';
import { groundOf, unended } from './aligned-row.tsx';
import { StillRuns } from './compare-summary.tsx';
import { SessionField } from './session-picker.tsx';
import './run-table.css';

const NAME = 'runs';
const ROW_PX = 28;
const NONE: ReadonlySet<number> = new Set();

interface RunTableProps {
  readonly tree: AlignedTree<RunStep, Runs>;
  readonly page: Runs;
  readonly onAgain: () => void;
}

export function RunTable({ tree, page, onAgain }: RunTableProps) {
  const { steps, reached } = useCell(tree.known);
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const [closed, setClosed] = useState(NONE);
  const items = useMemo(() => itemsOf(steps, reached, { closed }), [steps, reached, closed]);
  const keys = useMemo(() => items.map(keyOfItem), [items]);
  const fold = (item: AlignedItem<RunStep>, isFolded: boolean) => {
    if (item.kind === 'between') return void tree.open(item.start, item.stop);
    if (item.kind === 'later') return undefined;
    const { row, size } = item.step;
    const others = [...closed].filter((one) => one !== row);
    setClosed(new Set(isFolded ? [...others, row] : others));
    return isFolded ? undefined : void tree.open(row + 1, row + size);
  };
  const toggle = (item: AlignedItem<RunStep> | undefined) => {
    if (item?.kind === 'between') fold(item, false);
    else if (item?.isOpen !== undefined) fold(item, item.isOpen);
  };
  const { lastRows, router } = useInspector();
  const ids = page.sessions.map(({ id }) => id);
  const show = (next: readonly string[]) => router.push(compareAllPath(next));
  const add = (id: string) => ids.includes(id) || show([...ids, id]);
  const remove = (id: string) => show(ids.filter((one) => one !== id));
  const [start] = useState(() =>
    lastRows.has(NAME) ? undefined : page.first_difference?.toString(),
  );
  const { list, at } = useListFocus(scroller, {
    name: NAME,
    ...rowsOf(keys),
    selected: start,
    onOpen: (key) => toggle(items[keys.indexOf(key)]),
    tree: {
      isOpen: (index) => {
        const item = items[index];
        return item?.kind === 'between' ? false : item?.isOpen;
      },
      fold: (index, isFolded) => {
        const item = items[index];
        if (item !== undefined) fold(item, isFolded);
      },
      parentOf: (index) => parentOf(items, index),
    },
  });
  const keyAt = useCallback((index: number) => keys[index], [keys]);
  const virtualizer = useRows(scroller, keys.length, ROW_PX, keyAt, at);
  const rows = virtualizer.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= items.length - 20 && reached < page.row_count) void tree.more();
  }, [last, items.length, reached, page.row_count, tree]);
  const [base] = page.sessions;
  return (
    <div className="ins-runs" style={{ '--runs': page.sessions.length } as object}>
      <div className="ins-runs__top">
        <p role="status">
          {page.differing_count === 0
            ? COMPARE_TEXT.none
            : runsDiffer(page.differing_count, page.row_count)}
          {page.not_compared > 0 && `. ${COMPARE_TEXT.partly(page.not_compared)}`}
        </p>
        {ids.length < MOST_COMPARED && (
          <SessionField label={COMPARE_TEXT.addRun} chosen={ids} onChoose={add} />
        )}
      </div>
      <Legend />
      <StillRuns sessions={page.sessions} onAgain={onAgain} />
      <div
        ref={setScroller}
        className="ins-runs__scroller"
        role="treegrid"
        aria-label={COMPARE_TEXT.runs}
        aria-rowcount={items.length + 1}
        {...list}
      >
        <div role="row" aria-rowindex={1} className="ins-runs__head">
          <span role="columnheader" className="ins-runs__step">
            {COMPARE_TEXT.step}
          </span>
          {page.sessions.map((session) => (
            <RunHead
              key={session.id}
              session={session}
              base={base}
              onRemove={ids.length > 2 ? () => remove(session.id) : undefined}
            />
          ))}
        </div>
        <div
          role="rowgroup"
          className="ins-runs__rows"
          style={{ height: virtualizer.getTotalSize() }}
        >
          {rows.map(({ index, key, start }) => {
            const item = items[index];
            if (item === undefined) return null;
            const isFirst = item.kind === 'step' && item.step.row === page.first_difference;
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: its keys are those of the table
              <div
                key={key}
                role="row"
                data-row={String(key)}
                data-focus=""
                aria-rowindex={index + 2}
                aria-level={item.depth + 1}
                {...expanded(item)}
                tabIndex={index === at ? 0 : -1}
                className={`ins-runs__row${isFirst ? ' ins-runs__row--first' : ''}`}
                style={{ transform: `translateY(${start}px)`, '--depth': item.depth } as object}
                onClick={(event) => isRowClick(event) && toggle(item)}
              >
                {item.kind === 'step' ? (
                  <Step item={item} isFirst={isFirst} isCurrent={index === at} runs={page} />
                ) : (
                  <span role="gridcell" className="ins-runs__step ins-runs__between">
                    <Caret isOpen={false} />
                    {item.kind === 'between' &&
                      stepsBetween(
                        item.stop - item.start,
                        item.above?.cells.includes(null) === true,
                        page.not_compared > 0,
                      )}
                  </span>
                )}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function expanded(item: AlignedItem<RunStep>): { 'aria-expanded'?: boolean } {
  const isOpen = item.kind === 'between' ? false : item.isOpen;
  return isOpen === undefined ? {} : { 'aria-expanded': isOpen };
}

interface RunHeadProps {
  readonly session: Session;
  readonly base: Session | undefined;
  /** Undefined: it cannot be removed. */
  readonly onRemove: (() => void) | undefined;
}

function RunHead({ session, base, onRemove }: RunHeadProps) {
  const title = plainLine(session.title || session.id);
  return (
    <span role="columnheader" className="ins-runs__run">
      <span
        className={isFlawed(session) ? 'ins-runs__flawed' : ''}
        title={sessionStatus(session.status, session.error_count)}
      >
        <StatusIcon shape={session.status} />
        <span className="ins-hidden">{sessionStatus(session.status, session.error_count)} </span>
        <Link to={sessionPath(session.id)} title={title}>
          {title}
        </Link>
        {onRemove !== undefined && (
          <button
            type="button"
            className="ins-icon-button"
            title={COMPARE_TEXT.removeRun}
            aria-label={`${COMPARE_TEXT.removeRun}: ${title}`}
            onClick={onRemove}
          >
            <ActionIcon name="close" />
          </button>
        )}
      </span>
      <small>
        <WriterMark id={session.id} />
        <When at={session.started_at} />
        {session === base && `, ${COMPARE_TEXT.firstRun}`}
      </small>
      <small className="ins-runs__totals">
        {totalsOf(session).map((total) => (
          <span key={total}>{total}</span>
        ))}
        {session.error_count > 0 && <b>{plural(session.error_count, 'error')}</b>}
      </small>
    </span>
  );
}

function totalsOf(session: Session): string[] {
  const { duration_ms, input_tokens, output_tokens, cost_usd } = session;
  const tokens = (input_tokens ?? 0) + (output_tokens ?? 0);
  return [
    duration_ms === null ? unended(session) : formatDuration(duration_ms * 1e6),
    tokens === 0 ? '' : plural(tokens, 'token'),
    cost_usd === null ? '' : formatCost(cost_usd),
  ].filter((total) => total !== '');
}

/** What the signs in the cells mean. */
function Legend() {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <div className="ins-runs__legend" role="group" aria-label={COMPARE_TEXT.signs} tabIndex={0}>
      {CHANGES.map((change) => (
        <span key={change} className={`ins-change ins-change--${change}`}>
          <span aria-hidden="true">{CHANGE_SIGNS[change]}</span> {CHANGE_NAMES[change]}
        </span>
      ))}
      <span className="ins-change">
        <span className="ins-runs__hatched" aria-hidden="true" /> {COMPARE_TEXT.absent}
      </span>
    </div>
  );
}

interface StepProps {
  readonly item: Extract<AlignedItem<RunStep>, { kind: 'step' }>;
  readonly isFirst: boolean;
  readonly isCurrent: boolean;
  readonly runs: Runs;
}

function Step({ item, isFirst, isCurrent, runs }: StepProps) {
  const { step, above, isOpen } = item;
  const name = plainLine(step.name);
  const below =
    isOpen !== false
      ? ''
      : step.differing_below > 0
        ? differencesBelow(step.differing_below)
        : stepsBelow(step.size - 1);
  const ids = runs.sessions.map(({ id }) => id);
  const [base] = runs.sessions;
  const [first] = step.cells;
  const isTimed = step.cells.some((cell) => cell?.changes.some(isOfTime));
  return (
    <>
      <span role="rowheader" className="ins-runs__step" title={`${kindName(step.kind)}: ${name}`}>
        <Caret isOpen={isOpen} />
        <KindIcon kind={step.kind} />
        <span className="ins-runs__name">
          <SpanName name={name} />
        </span>
        {isFirst && <small className="ins-runs__mark">{COMPARE_TEXT.first}</small>}
        {below !== '' && <small>{below}</small>}
      </span>
      {runs.sessions.map((session, run) => {
        const cell = step.cells[run] ?? null;
        const isBase = run === 0;
        const span = cell ?? first ?? null;
        const to = isBase
          ? cell && spanPath(session.id, spanKey(cell))
          : span &&
            comparePath({ left: base?.id, right: session.id, span: spanKey(span), runs: ids });
        return (
          <Cell
            key={session.id}
            cell={cell}
            to={to}
            isCurrent={isCurrent}
            isTimed={isTimed}
            isMissed={first !== null && above?.cells[run] !== null}
          />
        );
      })}
    </>
  );
}

interface CellProps {
  readonly cell: RunCell | null;
  /** Address of the comparison with the first run; null: neither has the step. */
  readonly to: string | null;
  readonly isCurrent: boolean;
  /** Whether the self time of some run differs in this step. */
  readonly isTimed: boolean;
  /** Whether the first run has the step, and this one what the step is below. */
  readonly isMissed: boolean;
}

function Cell({ cell, to, isCurrent, isTimed, isMissed }: CellProps) {
  const ground = cell === null ? (isMissed ? 'removed' : 'none') : groundOf(cell.changes);
  const changes: readonly Change[] = cell?.changes ?? (isMissed ? ['removed'] : []);
  const names = changes.map((change) => CHANGE_NAMES[change]).join(', ');
  const text: ReactNode = (
    <>
      {cell?.status === 'error' && !changes.includes('failed') && <StatusIcon shape="failed" />}
      {cell !== null && (
        <span>{cell.duration_ns === null ? unended(cell) : formatDuration(cell.duration_ns)}</span>
      )}
      <span className="ins-hidden">{cell === null ? COMPARE_TEXT.absent : names}</span>
      {changes.map((change) => (
        <span key={change} className={`ins-change ins-change--${change}`} aria-hidden="true">
          {CHANGE_SIGNS[change]}
        </span>
      ))}
      {isTimed && cell !== null && cell.own_ns !== null && cell.own_ns !== cell.duration_ns && (
        <small>{selfTime(cell.own_ns)}</small>
      )}
    </>
  );
  return (
    <span role="gridcell" className={`ins-runs__cell ins-runs__cell--${ground}`} title={names}>
      {to === null ? (
        text
      ) : (
        <Link to={to} isCurrentRow={isCurrent}>
          {text}
        </Link>
      )}
    </span>
  );
}

/** Whether a change is one of self time. */
function isOfTime(change: Change): boolean {
  return change === 'slower' || change === 'faster';
}

function Caret({ isOpen }: { readonly isOpen: boolean | undefined }) {
  return (
    <span className={`ins-runs__caret${isOpen === true ? ' ins-runs__caret--open' : ''}`}>
      {isOpen !== undefined && <ActionIcon name="caret" />}
    </span>
  );
}
