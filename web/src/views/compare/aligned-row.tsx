/** One step of two sessions: its name and bar in each of them, and how it changed. */
import { memo } from 'react';
import type { AlignedStep, Change, SpanRow } from '../../api/types.ts';
import type { AlignedItem } from '../../model/sessions/aligned.ts';
import { CHANGE_SIGNS } from '../../model/sessions/comparison.ts';
import { formatDuration } from '../../model/text/format.ts';
import { plainLine } from '../../model/text/hidden-characters.ts';
import { CHANGE_NAMES, COMPARE_TEXT, differencesBelow, stepsBelow } from '../../texts.ts';
import { ActionIcon, KindIcon, kindName } from '../parts/icons.tsx';
import { SpanName } from '../parts/span-name.tsx';

export type StepItem = Extract<AlignedItem<AlignedStep>, { kind: 'step' }>;

interface Extent {
  readonly start_ns: number;
  readonly end_ns: number;
}

interface AlignedRowProps {
  readonly item: StepItem;
  readonly extent: Extent;
  readonly top_px: number;
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  readonly isFirst: boolean;
  readonly onSelect: (step: AlignedStep) => void;
  readonly onFold: (item: StepItem, isFolded: boolean) => void;
}

/** Limit of the signs in a row; the panel has all changes in words. */
const MOST_SIGNS = 2;

export const AlignedRow = memo(function AlignedRow(props: AlignedRowProps) {
  const { item, extent, isSelected, isFirst } = props;
  const { step, isOpen } = item;
  const { left, right, changes } = step;
  const toggle = () => props.onFold(item, isOpen === true);
  const names = changes.map((change) => CHANGE_NAMES[change]).join(', ');
  const below =
    isOpen !== false
      ? ''
      : step.differing_below > 0
        ? differencesBelow(step.differing_below)
        : stepsBelow(step.size - 1);
  const classes = ['ins-aligned__row', `ins-aligned__row--${groundOf(changes)}`];
  if (left !== null && right !== null) classes.push('ins-aligned__row--both');
  if (isFirst) classes.push('ins-aligned__row--first');
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: its keys are those of the tree
    <div
      role="treeitem"
      data-row={String(step.row)}
      data-focus=""
      aria-level={item.depth + 1}
      aria-selected={isSelected}
      {...(isOpen === undefined ? {} : { 'aria-expanded': isOpen })}
      tabIndex={props.isCurrent ? 0 : -1}
      className={classes.join(' ')}
      style={{ transform: `translateY(${props.top_px}px)`, '--depth': item.depth } as object}
      onClick={() => props.onSelect(step)}
    >
      <span className="ins-hidden">{labelOf(step, names, isFirst, below)}</span>
      <span className="ins-aligned__signs" title={names} aria-hidden="true">
        {changes.slice(0, MOST_SIGNS).map((change) => (
          <span key={change} className={`ins-change ins-change--${change}`}>
            {CHANGE_SIGNS[change]}
          </span>
        ))}
      </span>
      {(['left', 'right'] as const).map((side) => (
        <Side
          key={side}
          side={side}
          span={step[side]}
          extent={extent}
          below={below}
          isOpen={isOpen}
          onFold={toggle}
        />
      ))}
    </div>
  );
});

/** The ground of a row: how it differs, at first sight. */
export function groundOf(changes: readonly Change[]): string {
  const [first] = changes;
  if (first === undefined) return 'same';
  return first === 'added' || first === 'removed' || first === 'failed' ? first : 'changed';
}

function labelOf(step: AlignedStep, names: string, isFirst: boolean, below: string): string {
  const { left, right } = step;
  const span = left ?? right;
  const durations = [left, right].map((one) =>
    one === null ? COMPARE_TEXT.absent : durationOf(one),
  );
  return [
    span === null ? '' : `${kindName(span.kind)} ${plainLine(span.name)}`,
    names,
    isFirst ? COMPARE_TEXT.first : '',
    `${COMPARE_TEXT.before} ${durations[0]}, ${COMPARE_TEXT.after} ${durations[1]}`,
    below,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function durationOf(span: SpanRow): string {
  return span.duration_ns === null ? unended(span) : formatDuration(span.duration_ns);
}

/** Why a step or a session has no duration. */
export function unended({ status }: { readonly status: string }): string {
  return status === 'lost' ? COMPARE_TEXT.lost : COMPARE_TEXT.running;
}

interface SideProps {
  readonly side: 'left' | 'right';
  readonly span: SpanRow | null;
  readonly extent: Extent;
  readonly below: string;
  readonly isOpen: boolean | undefined;
  readonly onFold: () => void;
}

function Side({ side, span, extent, below, isOpen, onFold }: SideProps) {
  if (span === null) {
    return <span className={`ins-aligned__absent ins-aligned__absent--${side}`} />;
  }
  const name = plainLine(span.name);
  return (
    <>
      <span
        className={`ins-aligned__name ins-aligned__name--${side} ins-aligned__name--${span.status}`}
        title={name}
        aria-hidden="true"
      >
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: its keys are those of the tree */}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the row says whether it is open */}
        <span
          className={`ins-aligned__caret${isOpen === true ? ' ins-aligned__caret--open' : ''}`}
          onClick={(event) => {
            if (isOpen === undefined) return;
            event.stopPropagation();
            onFold();
          }}
        >
          {isOpen !== undefined && <ActionIcon name="caret" />}
        </span>
        <KindIcon kind={span.kind} />
        <span className="ins-aligned__text">
          <SpanName name={name} />
        </span>
        {below !== '' && <small>{below}</small>}
      </span>
      <span className={`ins-aligned__bar ins-aligned__bar--${side}`} aria-hidden="true">
        <span className="ins-aligned__track">
          <Bar span={span} extent={extent} />
        </span>
        <span className="ins-aligned__time">{durationOf(span)}</span>
      </span>
    </>
  );
}

function Bar({ span, extent }: { readonly span: SpanRow; readonly extent: Extent }) {
  const length_ns = extent.end_ns - extent.start_ns;
  const percent = (ns: number) => `${(ns / length_ns) * 100}%`;
  const duration_ns = span.duration_ns ?? extent.end_ns - span.offset_ns;
  return (
    <span
      className={`ins-aligned__span ins-aligned__span--${span.kind} ins-aligned__span--${span.status}`}
      style={{ left: percent(span.offset_ns - extent.start_ns), width: percent(duration_ns) }}
    >
      {span.waited.map(([offset_ns, wait_ns]) => (
        <span
          key={offset_ns}
          className="ins-aligned__wait"
          style={{
            left: `${((offset_ns - span.offset_ns) / Math.max(duration_ns, 1)) * 100}%`,
            width: `${((wait_ns ?? span.offset_ns + duration_ns - offset_ns) / Math.max(duration_ns, 1)) * 100}%`,
          }}
        />
      ))}
    </span>
  );
}
