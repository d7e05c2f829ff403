/** One entry of the transcript: the time in the margin, the content in the middle. */
import { memo, type ReactNode, useMemo } from 'react';
import type { SpanRow } from '../../api/types.ts';
import { formatOffset } from '../../model/text/format.ts';
import { rfc3339 } from '../../model/text/times.ts';
import { endOffset } from '../../model/trace/span-status.ts';
import type { Entry } from '../../model/transcript/transcript.ts';
import type { Trace } from '../../state/trace.ts';
import { TRANSCRIPT_TEXT } from '../../texts.ts';
import { useCell, usePreferences, useRow } from '../parts/context.ts';
import { kindName } from '../parts/icons.tsx';
import { isRowClick } from '../parts/list-focus.ts';
import { useTimes } from '../parts/times.tsx';
import { AgentEnd, AgentEntry } from './agent-entry.tsx';
import { CallEnd, CallEntry } from './call-entry.tsx';
import { type EntryProps, Took } from './entry-parts.tsx';
import { LineEntry } from './line-entry.tsx';
import { plainName } from './moments.tsx';
import { ReadingContext, type ReadingPlace } from './reading-context.ts';
import { ToolEntry } from './tool-entry.tsx';

/** Limit of indentation, so that a text has room. */
const MAX_DEPTH = 6;

export const EntryView = memo(function EntryView(props: EntryProps) {
  const { trace, readings, entry, isRaw, onOpen, onGoTo } = props;
  const row = useRow(trace.spans, entry.key);
  const place = useMemo<ReadingPlace>(
    () => ({
      trace,
      reads: readings.reads,
      states: readings.states,
      spanKey: entry.key,
      isRaw,
      onOpen,
      onGoTo,
    }),
    [trace, readings, entry.key, isRaw, onOpen, onGoTo],
  );
  const { wallClock } = usePreferences();
  if (row === undefined) return null;
  const classes = ['ins-tx', `ins-tx--${entry.type}`, `ins-tx--${row.kind}`];
  if (row.status === 'error') classes.push('ins-tx--failed');
  if (row.status === 'running') classes.push('ins-tx--running');
  if (row.status === 'cancelled') classes.push('ins-tx--cancelled');
  if (row.status === 'lost') classes.push('ins-tx--lost');
  if (props.isCursor) classes.push('ins-tx--cursor');
  if (props.isSelected) classes.push('ins-tx--selected');
  if (props.isMatch) classes.push('ins-tx--match');
  if (entry.isCard && entry.type === 'agent') classes.push('ins-tx--card');
  if (props.waiting.length > 0) classes.push('ins-tx--waiting');
  if (wallClock) classes.push('ins-tx--clock');
  return (
    // The keys of an entry are handled by the transcript around it.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <article
      ref={props.measure}
      data-index={props.index}
      data-row={entry.id}
      data-focus=""
      className={classes.join(' ')}
      tabIndex={props.isCursor ? 0 : -1}
      aria-posinset={props.index + 1}
      aria-setsize={props.count}
      aria-label={nameOf(entry, row)}
      style={{ '--depth': Math.min(entry.depth, MAX_DEPTH) } as object}
      onClick={(event) => {
        if (isRowClick(event)) props.onPick(entry.id);
      }}
    >
      <Margin entry={entry} row={row} trace={trace} />
      <div className="ins-tx__body">
        <ReadingContext value={place}>{bodyOf(props, row)}</ReadingContext>
      </div>
    </article>
  );
});

function bodyOf(props: EntryProps, row: SpanRow): ReactNode {
  switch (props.entry.type) {
    case 'agent':
      return <AgentEntry {...props} row={row} />;
    case 'end':
      return <AgentEnd {...props} row={row} />;
    case 'call':
      return <CallEntry {...props} row={row} />;
    case 'said':
      return <CallEnd {...props} row={row} />;
    case 'tool':
      return <ToolEntry {...props} row={row} />;
    case 'line':
    case 'heading':
      return <LineEntry {...props} row={row} />;
  }
}

function nameOf({ type }: Entry, row: SpanRow): string {
  const name = `${kindName(row.kind)} ${plainName(row.name)}`;
  const state = row.status === 'unset' || row.status === 'ok' ? '' : `, ${row.status}`;
  return type === 'end' || type === 'said'
    ? `${TRANSCRIPT_TEXT.endOf(name)}${state}`
    : `${name}${state}`;
}

interface MarginProps {
  readonly entry: Entry;
  readonly row: SpanRow;
  readonly trace: Trace;
}

function Margin({ entry, row, trace }: MarginProps) {
  const { wallClock } = usePreferences();
  const times = useTimes();
  const epoch_ns = useCell(trace.epoch_ns);
  const timeOf = (offset_ns: number) =>
    wallClock && epoch_ns !== undefined
      ? times.ofDay(rfc3339(epoch_ns, offset_ns))
      : formatOffset(offset_ns);
  const isEnd = entry.type === 'end' || entry.type === 'said';
  return (
    <div className="ins-tx__margin">
      {isEnd ? (
        row.duration_ns !== null && <span>{timeOf(endOffset(row, 0))}</span>
      ) : (
        <span>{timeOf(row.offset_ns)}</span>
      )}
      {(entry.type === 'call' || entry.type === 'tool') && (
        <span>
          <Took trace={trace} row={row} />
        </span>
      )}
    </div>
  );
}
