/** Toolbar of the waterfall: find, errors only, folding and zoom. */
import { memo, useMemo, useRef } from 'react';
import { plural } from '../../model/text/format.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import type { Trace } from '../../state/trace.ts';
import { useActions } from '../parts/actions.ts';
import { ActorFilter } from '../parts/actor-filter.tsx';
import { matchesFind } from '../parts/find.ts';
import { ActionIcon } from '../parts/icons.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { useSlowVersion } from '../parts/slow-version.ts';
import type { TimeWindowControl } from './time-window.ts';
import type { TreeView } from './tree-view.ts';
import '../parts/view-tools.css';
import { PARTS_TEXT, partOf, WATERFALL_ACTIONS, WATERFALL_TEXT } from '../../texts.ts';

interface Option {
  readonly isOn: boolean;
  readonly toggle: () => void;
}

interface WaterfallToolsProps {
  readonly trace: Trace;
  readonly tree: TreeView;
  readonly timeWindow: TimeWindowControl;
  readonly cursor: string | undefined;
  readonly find: string;
  readonly options: Readonly<Record<'errorsOnly' | 'shortGaps' | 'path', Option>>;
  /** Number of gaps. */
  readonly gaps: number;
  readonly onFind: (text: string) => void;
  readonly onGoTo: (key: string) => void;
  readonly onZoomToRows: () => void;
}

export const WaterfallTools = memo(function WaterfallTools(props: WaterfallToolsProps) {
  const { trace, tree, timeWindow, cursor, find, options, gaps, onGoTo } = props;
  const field = useRef<HTMLInputElement>(null);
  const actions = useMemo(
    () => [
      { name: PARTS_TEXT.findInSession, keys: ['/'], run: () => field.current?.focus() },
      { name: WATERFALL_ACTIONS.errorsOnly, keys: ['x'], run: options.errorsOnly.toggle },
      ...(gaps > 0
        ? [{ name: WATERFALL_ACTIONS.gaps, keys: ['z'], run: options.shortGaps.toggle }]
        : []),
      { name: WATERFALL_ACTIONS.criticalPath, keys: ['l'], run: options.path.toggle },
    ],
    [options, gaps],
  );
  useActions('Waterfall', actions);
  const version = useSlowVersion(trace);
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
        label={PARTS_TEXT.findInSessionLabel}
        placeholder={PARTS_TEXT.findInSession}
        onChange={props.onFind}
        onEnter={(isShift) => step(isShift ? -1 : 1)}
      />
      <ActorFilter />
      {find !== '' && (
        <span className="ins-tools__found" role="status">
          {found.length === 0
            ? WATERFALL_TEXT.nothing
            : at < 0
              ? PARTS_TEXT.found(found.length)
              : partOf(at + 1, found.length)}
        </span>
      )}
      <div className="ins-tools__end">
        <Toggle
          of={options.path}
          title={WATERFALL_TEXT.criticalPathTitle}
          name={WATERFALL_TEXT.criticalPath}
        />
        {gaps > 0 && (
          <Toggle
            of={options.shortGaps}
            title={options.shortGaps.isOn ? WATERFALL_TEXT.expandGaps : WATERFALL_TEXT.collapseGaps}
            name={`${plural(gaps, 'gap')}${options.shortGaps.isOn ? ' collapsed' : ''}`}
          />
        )}
        <Toggle
          of={options.errorsOnly}
          title={WATERFALL_TEXT.errorsOnlyTitle}
          name={WATERFALL_TEXT.errorsOnly}
        />
        <button
          type="button"
          className="ins-icon-button"
          title={tree.hasFolded ? PARTS_TEXT.unfold : PARTS_TEXT.fold}
          aria-label={tree.hasFolded ? PARTS_TEXT.unfold : PARTS_TEXT.fold}
          onClick={tree.hasFolded ? tree.unfoldAll : tree.foldAll}
        >
          <ActionIcon name="fold" />
        </button>
        <button
          type="button"
          className="ins-icon-button"
          title={WATERFALL_TEXT.zoomTitle}
          aria-label={WATERFALL_TEXT.zoom}
          disabled={tree.rows.count === 0}
          onClick={props.onZoomToRows}
        >
          <ActionIcon name="zoom" />
        </button>
        <button
          type="button"
          className="ins-icon-button"
          title={WATERFALL_TEXT.showEverythingTitle}
          aria-label={WATERFALL_TEXT.showEverything}
          disabled={!timeWindow.isZoomed}
          onClick={timeWindow.fit}
        >
          <ActionIcon name="fit" />
        </button>
      </div>
    </div>
  );
});

function Toggle({
  of,
  name,
  title,
}: {
  readonly of: Option;
  readonly name: string;
  readonly title: string;
}) {
  return (
    <button
      type="button"
      className="ins-tools__toggle"
      title={title}
      aria-pressed={of.isOn}
      onClick={of.toggle}
    >
      {name}
    </button>
  );
}

function matchesInOrder(trace: Trace, find: string): string[] {
  if (find === '') return [];
  return [...trace.spans.values()]
    .filter((span) => matchesFind(span, find))
    .sort((a, b) => a.offset_ns - b.offset_ns || (a.span_id < b.span_id ? -1 : 1))
    .map(spanKey);
}
