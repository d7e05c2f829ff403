/** Find, errors, folding, zoom and freeze. */
import { useMemo, useRef } from 'react';
import { plural } from '../../model/format.ts';
import { errorsOf } from '../../model/span-status.ts';
import { spanKey } from '../../model/span-tree.ts';
import type { Trace } from '../../state/trace.ts';
import { useActions } from '../actions.ts';
import { useCell, useNow, useVersion } from '../context.ts';
import { ActionIcon, StatusIcon } from '../icons.tsx';
import { SearchField } from '../search-field.tsx';
import { matchesFind } from './find.ts';
import type { TimeWindowControl } from './time-window.ts';
import { nextError, nextWaiting } from './tree-keys.ts';
import type { TreeView } from './tree-view.ts';
import './waterfall-tools.css';

interface WaterfallToolsProps {
  readonly trace: Trace;
  readonly tree: TreeView;
  readonly timeWindow: TimeWindowControl;
  readonly cursor: string | undefined;
  readonly waiting: ReadonlySet<string>;
  readonly find: string;
  readonly onFind: (text: string) => void;
  readonly onGoTo: (key: string) => void;
}

export function WaterfallTools(props: WaterfallToolsProps) {
  const { trace, tree, timeWindow, cursor, waiting, find, onFind, onGoTo } = props;
  const field = useRef<HTMLInputElement>(null);
  const actions = useMemo(
    () => [{ name: 'Find in session', keys: ['/'], run: () => field.current?.focus() }],
    [],
  );
  useActions('Session', actions);
  const version = useVersion(trace.spans);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version says when to look again
  const errors = useMemo(() => errorsOf(trace.spans.values()).length, [trace, version]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
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
        onChange={onFind}
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
      {errors > 0 && (
        <button
          type="button"
          className="ins-tools__errors"
          title="Next error (E)"
          onClick={() => {
            const key = nextError(trace, cursor);
            if (key !== undefined) onGoTo(key);
          }}
        >
          <StatusIcon shape="failed" />
          {plural(errors, 'error')}
        </button>
      )}
      {waiting.size > 0 && (
        <button
          type="button"
          className="ins-tools__waiting"
          title="Next span that waits (W)"
          onClick={() => {
            const key = nextWaiting(waiting, cursor);
            if (key !== undefined) onGoTo(key);
          }}
        >
          <StatusIcon shape="waiting" />
          {waiting.size} waiting
        </button>
      )}
      <div className="ins-tools__end">
        <FreezeButton trace={trace} />
        <button
          type="button"
          className="ins-icon-button"
          title={tree.collapsed.size > 0 ? 'Unfold all' : 'Fold all'}
          aria-label={tree.collapsed.size > 0 ? 'Unfold all' : 'Fold all'}
          aria-pressed={tree.collapsed.size > 0}
          onClick={tree.collapsed.size > 0 ? tree.unfoldAll : tree.foldAll}
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

export function FreezeButton({ trace }: { readonly trace: Trace }) {
  const freeze = useCell(trace.freeze);
  const now_ms = useNow(freeze === undefined ? undefined : 1000);
  const seconds =
    freeze === undefined ? 0 : Math.max(0, Math.round((now_ms - freeze.since_ms) / 1000));
  return (
    <button
      type="button"
      className={freeze === undefined ? 'ins-icon-button' : 'ins-tools__frozen'}
      title={freeze === undefined ? 'Freeze (F)' : 'Go on (F)'}
      aria-label={freeze === undefined ? 'Freeze' : 'Go on'}
      aria-pressed={freeze !== undefined}
      onClick={() => (freeze === undefined ? trace.hold(Date.now()) : trace.thaw())}
    >
      <ActionIcon name="freeze" />
      {freeze !== undefined && `frozen, ${seconds} s and ${plural(freeze.behind, 'change')} behind`}
    </button>
  );
}
