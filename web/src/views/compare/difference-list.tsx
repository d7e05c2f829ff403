/** List of differences, the most important first; only the rows in view are in the document. */
import { type KeyboardEvent, useCallback, useEffect, useState } from 'react';
import type { Difference } from '../../api/types.ts';
import { briefly, CHANGE_NAMES, CHANGE_SIGNS } from '../../model/sessions/comparison.ts';
import { plainLine } from '../../model/text/hidden-characters.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import type { Compared } from '../../state/comparison.ts';
import type { LoadState } from '../../state/sessions.ts';
import { KindIcon } from '../parts/icons.tsx';
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
  const keyAt = useCallback((at: number) => keyOf(differences[at]), [differences]);
  const virtualizer = useRows(scroller, differences.length, ROW_PX, keyAt);
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= differences.length - 20) void compared.more();
  }, [last, differences.length, compared]);
  const at = differences.findIndex((one) => keyOf(one) === keyOf(selected));

  const goTo = (next: number) => {
    virtualizer.scrollToIndex(next, { align: 'auto' });
    onSelect(differences[next]);
    requestAnimationFrame(() => {
      scroller?.querySelector<HTMLElement>(`[data-at="${next}"]`)?.focus({ preventScroll: true });
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = walked(event.key, at, differences.length);
    if (event.key === 'Escape' && selected !== undefined) onSelect(undefined);
    else if (next !== undefined) goTo(next);
    else return;
    event.preventDefault();
  };
  if (differences.length === 0) {
    return (
      <p className="ins-compare__start" role="status">
        {state.kind === 'loading'
          ? 'Reading the differences'
          : compared.changes.length === 0
            ? 'Nothing differs between the two.'
            : 'Nothing differs in this way.'}
      </p>
    );
  }
  return (
    <div className="ins-compare__scroller" ref={setScroller}>
      <div
        role="listbox"
        aria-label="Differences"
        className="ins-compare__rows"
        style={{ height: virtualizer.getTotalSize() }}
        tabIndex={-1}
        onKeyDown={onKeyDown}
      >
        {items.map((item) => {
          const difference = differences[item.index];
          if (difference === undefined) return null;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: its keys are those of the list
            <div
              key={item.key}
              role="option"
              data-at={item.index}
              aria-selected={item.index === at}
              aria-setsize={differences.length}
              aria-posinset={item.index + 1}
              tabIndex={item.index === Math.max(at, 0) ? 0 : -1}
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
        {more > 0 && <span>and {more} more</span>}
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

/** Key of a difference, that of its left span: no span is in two differences. */
function keyOf(difference: Difference | undefined): string | undefined {
  if (difference === undefined) return undefined;
  if (difference.left !== null) return `left ${spanKey(difference.left)}`;
  return difference.right === null ? undefined : `right ${spanKey(difference.right)}`;
}

function walked(key: string, at: number, count: number): number | undefined {
  const last = count - 1;
  switch (key) {
    case 'ArrowDown':
      return Math.min(at + 1, last);
    case 'ArrowUp':
      return Math.max(at - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return last;
    case 'PageDown':
      return Math.min(at + 10, last);
    case 'PageUp':
      return Math.max(at - 10, 0);
    case 'Enter':
    case ' ':
      return Math.max(at, 0);
    default:
      return undefined;
  }
}
