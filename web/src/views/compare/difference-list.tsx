/** List of differences, the most important first; only the rows in view are in the document. */
import { type KeyboardEvent, useCallback, useEffect, useMemo, useState } from 'react';
import type { Difference } from '../../api/types.ts';
import { briefly, CHANGE_SIGNS, differenceKey } from '../../model/sessions/comparison.ts';
import { plainLine } from '../../model/text/hidden-characters.ts';
import type { Compared } from '../../state/comparison.ts';
import type { LoadState } from '../../state/sessions.ts';
import { andMore, CHANGE_NAMES, COMPARE_TEXT } from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { KindIcon } from '../parts/icons.tsx';
import { rowsOf, useListFocus } from '../parts/list-focus.ts';
import { useRowHeight } from '../parts/row-height.ts';
import { useRows } from '../parts/rows.ts';

const ROW_PX = 46;

interface DifferenceListProps {
  readonly compared: Compared;
  readonly differences: readonly Difference[];
  readonly state: LoadState;
  readonly selected: Difference | undefined;
  readonly onSelect: (difference: Difference | undefined) => void;
}

export function DifferenceList(props: DifferenceListProps) {
  const { compared, differences, state, selected, onSelect } = props;
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const keys = useMemo(() => differences.map(differenceKey), [differences]);
  const select = (key: string) => onSelect(differences[keys.indexOf(key)]);
  const selectedKey = selected && differenceKey(selected);
  const { list, at, goTo } = useListFocus(scroller, {
    name: 'differences',
    ...rowsOf(keys),
    selected: selectedKey,
    onMove: select,
    onOpen: select,
  });
  const keyAt = useCallback((index: number) => keys[index], [keys]);
  const virtualizer = useRows(scroller, keys.length, useRowHeight(ROW_PX), keyAt, at);
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= differences.length - 20) void compared.more();
  }, [last, differences.length, compared]);
  const actions = useMemo(() => {
    const step = (direction: 1 | -1) => {
      const key = keys[selectedKey === undefined ? at : keys.indexOf(selectedKey) + direction];
      if (key === undefined) return;
      onSelect(differences[keys.indexOf(key)]);
      goTo(key);
    };
    return [
      { name: COMPARE_TEXT.nextDifference, keys: ['n'], run: () => step(1) },
      { name: COMPARE_TEXT.previousDifference, keys: ['p'], run: () => step(-1) },
    ];
  }, [keys, selectedKey, at, differences, onSelect, goTo]);
  useActions('Compare', actions);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    list.onKeyDown(event);
    if (event.key !== 'Escape' || selected === undefined) return;
    onSelect(undefined);
    event.preventDefault();
  };
  if (differences.length === 0) {
    return (
      <p className="ins-compare__start" role="status">
        {state.kind === 'loading'
          ? COMPARE_TEXT.comparing
          : compared.changes.length === 0
            ? COMPARE_TEXT.none
            : COMPARE_TEXT.noneOfKind}
      </p>
    );
  }
  return (
    <div
      ref={setScroller}
      className="ins-compare__scroller"
      role="listbox"
      aria-label={COMPARE_TEXT.differences}
      {...list}
      onKeyDown={onKeyDown}
    >
      <div role="none" className="ins-compare__rows" style={{ height: virtualizer.getTotalSize() }}>
        {items.map((item) => {
          const difference = differences[item.index];
          if (difference === undefined) return null;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: its keys are those of the list
            <div
              key={item.key}
              role="option"
              data-row={String(item.key)}
              data-focus=""
              aria-selected={item.key === selectedKey}
              aria-setsize={differences.length}
              aria-posinset={item.index + 1}
              tabIndex={item.index === at ? 0 : -1}
              className="ins-difference"
              style={{ transform: `translateY(${item.start}px)` }}
              onClick={() => onSelect(difference)}
            >
              <DifferenceRow difference={difference} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Limit of the changes in a row; the panel shows all. */
const MOST_CHANGES = 2;

function DifferenceRow({ difference }: { readonly difference: Difference }) {
  const row = difference.left ?? difference.right;
  const more = difference.changes.length - MOST_CHANGES;
  return (
    <>
      <span className="ins-difference__changes">
        {difference.changes.slice(0, MOST_CHANGES).map((change) => (
          <span key={change} className={`ins-change ins-change--${change}`}>
            <span aria-hidden="true">{CHANGE_SIGNS[change]}</span> {CHANGE_NAMES[change]}
          </span>
        ))}
        {more > 0 && <span>{andMore(more)}</span>}
      </span>
      <span className="ins-difference__what">
        <span className="ins-difference__name" title={plainLine(row?.name ?? '')}>
          {row !== null && <KindIcon kind={row.kind} />}
          <span>{plainLine(row?.name ?? '')}</span>
        </span>
        <small>
          {difference.path
            .slice(0, -1)
            .map((name) => plainLine(name, 40))
            .join(' › ')}
        </small>
      </span>
      <span className="ins-difference__brief">{briefly(difference)}</span>
    </>
  );
}
