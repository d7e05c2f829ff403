/** One span of the tree: its name and its main facts. The bar is drawn by the canvas. */
import { memo } from 'react';
import type { SpanRow } from '../../api/types.ts';
import { formatCount, formatDuration } from '../../model/text/format.ts';
import { entersService } from '../../model/trace/services.ts';
import { stallOf } from '../../model/trace/span-status.ts';
import type { Trace } from '../../state/trace.ts';
import { PARTS_TEXT, SESSION_TEXT, tokensInAndOut, WATERFALL_TEXT } from '../../texts.ts';
import { useRow, useTraceNow } from '../parts/context.ts';
import { matchesFind } from '../parts/find.ts';
import { ActionIcon, KindIcon, kindName, StatusIcon } from '../parts/icons.tsx';
import { ServiceMark } from '../parts/service-mark.tsx';
import { SpanName } from '../parts/span-name.tsx';
import './span-tree-row.css';

interface SpanTreeRowProps {
  readonly spanKey: string;
  readonly trace: Trace;
  readonly top_px: number;
  readonly depth: number;
  readonly hasChildren: boolean;
  readonly isFolded: boolean;
  readonly hasErrorBelow: boolean;
  /** Position among its siblings, from 1, and their number. */
  readonly position: number;
  readonly siblings: number;
  readonly isSelected: boolean;
  readonly isCursor: boolean;
  readonly isWaiting: boolean;
  /** Services of the session: of several, it says of which it is. */
  readonly services: readonly string[];
  readonly find: string;
  readonly onPick: (key: string) => void;
  readonly onFold: (key: string, isFolded: boolean) => void;
}

const INDENT_PX = 14;
/** Limit of indentation, so that a name has room. */
const MAX_INDENT = 16;

export const SpanTreeRow = memo(function SpanTreeRow(props: SpanTreeRowProps) {
  const { spanKey: key, depth, hasChildren, isFolded, hasErrorBelow, isWaiting, find } = props;
  const span = useRow(props.trace.spans, key);
  if (span === undefined) return null;
  const service = props.services.length > 1 ? span.service : null;
  const isNamed = entersService(span, props.trace.spans);
  const state = isWaiting ? 'waiting' : span.status;
  const classes = ['ins-row', `ins-row--${state}`];
  if (props.isSelected) classes.push('ins-row--selected');
  if (props.isCursor) classes.push('ins-row--cursor');
  if (span.duplicate_of !== null) classes.push('ins-row--duplicate');
  if (find !== '') classes.push(matchesFind(span, find) ? 'ins-row--match' : 'ins-row--other');
  return (
    // Keys are handled by the tree around it.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div
      data-row={key}
      data-focus=""
      className={classes.join(' ')}
      role="treeitem"
      aria-label={
        labelOf(span, state, service, isNamed) + (hasErrorBelow ? WATERFALL_TEXT.errorBelow : '')
      }
      tabIndex={props.isCursor ? 0 : -1}
      aria-level={depth + 1}
      aria-posinset={props.position}
      aria-setsize={props.siblings}
      aria-selected={props.isSelected}
      {...(hasChildren ? { 'aria-expanded': !isFolded } : {})}
      style={{ top: props.top_px }}
      onClick={() => props.onPick(key)}
    >
      <span
        className="ins-row__name"
        style={{ '--indent': `${Math.min(depth, MAX_INDENT) * INDENT_PX + 4}px` } as object}
      >
        {hasChildren ? (
          <span
            // Of each span its own: another's would turn to its state before one's eyes.
            key={key}
            className={`ins-row__caret${isFolded ? '' : ' ins-row__caret--open'}${hasErrorBelow ? ' ins-row__caret--error' : ''}`}
            title={hasErrorBelow ? WATERFALL_TEXT.errorBelowTitle : undefined}
            aria-hidden="true"
            onClick={(event) => {
              event.stopPropagation();
              props.onFold(key, !isFolded);
            }}
          >
            <ActionIcon name="caret" />
          </span>
        ) : (
          <span className="ins-row__caret" />
        )}
        <KindIcon kind={span.kind} />
        {service !== null && (
          <ServiceMark service={service} services={props.services} isNamed={isNamed} />
        )}
        <Name span={span} /> <Marks span={span} isWaiting={isWaiting} trace={props.trace} />
      </span>
    </div>
  );
});

/**
 * Accessible label: kind, name, status and duration, which sighted readers see in the row and its
 * bar.
 */
function labelOf(span: SpanRow, state: string, service: string | null, isNamed: boolean): string {
  const took = span.duration_ns === null ? [] : [formatDuration(span.duration_ns)];
  if (span.stall_ns !== null) took.push(SESSION_TEXT.stalledWithin(formatDuration(span.stall_ns)));
  const status = state === 'unset' ? 'ok' : state;
  const tokens = (span.input_tokens ?? 0) + (span.output_tokens ?? 0);
  // What is read stands in it as it is seen: who speaks to the page says it so.
  const seen = [
    ...(service !== null && isNamed ? [service] : []),
    span.name || PARTS_TEXT.noName,
    ...(span.duplicate_of !== null ? ['duplicate'] : []),
    ...(tokens > 0 ? [`${formatCount(tokens)} tokens`] : []),
  ].join(' ');
  const hidden = service !== null && !isNamed ? [service] : [];
  return [kindName(span.kind), seen, status, ...took, ...hidden].join(', ');
}

function Name({ span }: { readonly span: SpanRow }) {
  return (
    <span className="ins-row__text" title={`${kindName(span.kind)}: ${span.name}`}>
      <SpanName name={span.name} />
    </span>
  );
}

interface MarksProps {
  readonly span: SpanRow;
  readonly isWaiting: boolean;
  readonly trace: Trace;
}

function Marks({ span, isWaiting, trace }: MarksProps) {
  const tokens = (span.input_tokens ?? 0) + (span.output_tokens ?? 0);
  return (
    <span className="ins-row__marks">
      {span.duplicate_of !== null && (
        <span title={PARTS_TEXT.duplicateTitle}>{PARTS_TEXT.duplicate} </span>
      )}
      {span.status === 'running' && span.stall_ns === null && span.stall_start_ns !== null && (
        <Stalled span={span} trace={trace} />
      )}
      {tokens > 0 && (
        <span title={tokensInAndOut(span.input_tokens ?? 0, span.output_tokens ?? 0)}>
          {formatCount(tokens)}
        </span>
      )}
      {isWaiting && <StatusIcon shape="waiting" />}
      {span.status === 'error' && <StatusIcon shape="failed" />}
      {span.status === 'cancelled' && <StatusIcon shape="cancelled" />}
      {span.status === 'lost' && <StatusIcon shape="lost" />}
    </span>
  );
}

const LOOK_MS = 1000;

/** Mark of a running answer of which nothing has come for a while; the bar says for how long. */
function Stalled({ span, trace }: { readonly span: SpanRow; readonly trace: Trace }) {
  const now_ns = useTraceNow(trace, LOOK_MS);
  if (stallOf(span, now_ns) === undefined) return null;
  return <span className="ins-row__stalled">{SESSION_TEXT.stalled} </span>;
}
