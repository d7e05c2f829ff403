/** Find, what is left out, folding and zoom. */
import { useMemo, useRef } from 'react';
import { spanKey } from '../../model/span-tree.ts';
import type { Trace } from '../../state/trace.ts';
import { useActions } from '../actions.ts';
import { ActionIcon } from '../icons.tsx';
import { SearchField } from '../search-field.tsx';
import { matchesFind } from './find.ts';
import { useSlowVersion } from './slow-version.ts';
import type { TimeWindowControl } from './time-window.ts';
import type { TreeView } from './tree-view.ts';
import './waterfall-tools.css';

interface WaterfallToolsProps {
  readonly trace: Trace;
  readonly tree: TreeView;
  readonly timeWindow: TimeWindowControl;
  readonly cursor: string | undefined;
  readonly find: string;
  readonly isErrorsOnly: boolean;
  readonly onFind: (text: string) => void;
  readonly onErrorsOnly: () => void;
  readonly onGoTo: (key: string) => void;
}

const FIND_MS = 300;

export function WaterfallTools(props: WaterfallToolsProps) {
  const { trace, tree, timeWindow, cursor, find, isErrorsOnly, onErrorsOnly, onGoTo } = props;
  const field = useRef<HTMLInputElement>(null);
  const actions = useMemo(
    () => [
      { name: 'Find in session', keys: ['/'], run: () => field.current?.focus() },
      { name: 'Errors only, all spans', keys: ['x'], run: onErrorsOnly },
    ],
    [onErrorsOnly],
  );
  useActions('Waterfall', actions);
  const version = useSlowVersion(trace.spans, FIND_MS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version says when to look again
  const found = useMemo(() => matchesInOrder(trace, find), [trace, find, version]);
  const at = cursor === undefined ? -1 : found.indexOf(cursor);
  const step = (by: number) => {
    const key = found[(Math.max(at, by > 0 ? -1 : 0) + by + found.length) % found.length];
    if (key !== undefined) onGoTo(key);
  };
  return (
    <div className="ins-tools">
      <SearchField
        ref={field}
        value={find}
        label="Find in this session"
        placeholder="Find in session"
        onChange={props.onFind}
        onEnter={(isShift) => step(isShift ? -1 : 1)}
      />
      {find !== '' && (
        <span className="ins-tools__found" role="status">
          {found.length === 0
            ? 'nothing'
            : at < 0
              ? `${found.length} found`
              : `${at + 1} of ${found.length}`}
        </span>
      )}
      <div className="ins-tools__end">
        <button
          type="button"
          className="ins-tools__toggle"
          title="Only what failed, and what is above it (X)"
          aria-pressed={isErrorsOnly}
          onClick={onErrorsOnly}
        >
          Errors only
        </button>
        <button
          type="button"
          className="ins-icon-button"
          title={tree.hasFolded ? 'Unfold all' : 'Fold all'}
          aria-label={tree.hasFolded ? 'Unfold all' : 'Fold all'}
          onClick={tree.hasFolded ? tree.unfoldAll : tree.foldAll}
        >
          <ActionIcon name="fold" />
        </button>
        <button
          type="button"
          className="ins-icon-button"
          title="Show everything (0)"
          aria-label="Show everything"
          disabled={!timeWindow.isZoomed}
          onClick={timeWindow.fit}
        >
          <ActionIcon name="fit" />
        </button>
      </div>
    </div>
  );
}

function matchesInOrder(trace: Trace, find: string): string[] {
  if (find === '') return [];
  return [...trace.spans.values()]
    .filter((span) => matchesFind(span, find))
    .sort((a, b) => a.offset_ns - b.offset_ns || (a.span_id < b.span_id ? -1 : 1))
    .map(spanKey);
}
