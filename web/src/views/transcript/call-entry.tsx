/** LLM call: the new messages of its input, its reasoning and its answer. */
import { useMemo } from 'react';
import type { Piece, Reading, SpanRow } from '../../api/types.ts';
import { formatCount, formatDuration } from '../../model/text/format.ts';
import { callsOf, joinCalls, resultsOf } from '../../model/transcript/transcript-text.ts';
import type { Trace } from '../../state/trace.ts';
import type { Read, ReadingStores } from '../../state/transcript.ts';
import { andMore, PARTS_TEXT, SPAN_TEXT, TRANSCRIPT_TEXT } from '../../texts.ts';
import { useCell, useRow } from '../parts/context.ts';
import { KindIcon, StatusIcon } from '../parts/icons.tsx';
import { SoFar, Stall } from '../parts/so-far.tsx';
import type { EntryProps } from './entry-parts.tsx';
import { Message } from './messages.tsx';
import { Consequence, ErrorBlock, Moments, plainName, useIsErrorRepeated } from './moments.tsx';
import { useReading } from './reading-context.ts';

type CallProps = EntryProps & { readonly row: SpanRow };

export function CallEntry(props: CallProps) {
  const { entry, row, layout, readings, trace, isOpen } = props;
  const read = useRow(readings.reads, entry.key);
  const before = useRow(readings.reads, layout.before.get(entry.key) ?? '');
  const reading = read?.reading;
  const tools = layout.toolsOf.get(entry.key) ?? [];
  const joined = joinedOf(reading, tools, trace, readings);
  const answered = useMemo(() => idsOf(before), [before]);
  const isFirst = layout.before.get(entry.key) === undefined;
  /**
   * Whether a piece is shown elsewhere: calls with a tool entry below, and results shown with their
   * call.
   */
  const isElsewhere = (piece: Piece): boolean => {
    if (piece.type === 'tool_call') return joined.has(piece);
    if (piece.type !== 'tool_result' || isFirst) return false;
    return before === undefined || (piece.id != null && answered.has(piece.id));
  };
  const messages = reading?.said ?? [];
  const at_ns = useCell(trace.at_ns);
  const first_ms = reading?.first_chunk_ms ?? Number.POSITIVE_INFINITY;
  const isAfterFirstChunk = (at_ns ?? 0) >= row.offset_ns + first_ms * 1e6;
  const isNewRun = layout.agentOf.get(before?.of.key ?? '') !== layout.agentOf.get(entry.key);
  return (
    <>
      <SinceTurnBefore {...props} />
      {messages
        .filter(({ origin }) => origin !== 'output')
        .map((one) => (
          <Message
            key={one.pieces[0]?.at.join() ?? one.role}
            message={one}
            isElsewhere={isElsewhere}
            isOpen={isOpen}
            resultOf={() => undefined}
          />
        ))}
      {reading !== undefined && (
        <History reading={reading} isOfAgent={layout.agentOf.has(entry.key)} isNewRun={isNewRun} />
      )}
      <header className="ins-tx__head ins-tx__head--call">
        <KindIcon kind="llm" />
        <span>{reading?.model ?? row.model ?? plainName(row.name)}</span>
        <Usage row={row} />
        <Stopped reading={reading} />
        {row.status === 'running' && (
          <span className="ins-tx__running">
            {row.stall_start_ns !== null || isAfterFirstChunk
              ? TRANSCRIPT_TEXT.isAnswering
              : TRANSCRIPT_TEXT.isThinking}
          </span>
        )}
        <Stall row={row} trace={trace} />
        {row.status === 'cancelled' && (
          <span className="ins-tx__state-mark">
            <StatusIcon shape="cancelled" /> {PARTS_TEXT.cancelled}
          </span>
        )}
        {row.status === 'lost' && (
          <span className="ins-tx__state-mark">
            <StatusIcon shape="lost" /> {PARTS_TEXT.lost}
          </span>
        )}
        <Asks names={asksFor(reading, joined, tools, trace)} />
      </header>
      {!layout.answeredBelow.has(entry.key) && <Answer {...props} isElsewhere={isElsewhere} />}
    </>
  );
}

/** Final answer of an LLM call, below the tools that ran during the call. */
export function CallEnd(props: CallProps) {
  const { entry, row, layout, readings, trace } = props;
  const reading = useRow(readings.reads, entry.key)?.reading;
  const { onGoTo } = useReading();
  const joined = joinedOf(reading, layout.toolsOf.get(entry.key) ?? [], trace, readings);
  const cause = layout.sums.get(entry.key)?.cause;
  const causeRow = useRow(trace.spans, cause ?? '');
  const isInside = cause !== undefined && cause !== entry.key && causeRow !== undefined;
  return (
    <>
      <header className="ins-tx__head ins-tx__head--call">
        <KindIcon kind="llm" />
        <span>
          {reading?.model ?? row.model ?? plainName(row.name)}{' '}
          {row.status === 'running'
            ? TRANSCRIPT_TEXT.isAnswering
            : row.status === 'error' && TRANSCRIPT_TEXT.endings['error']}
        </span>
      </header>
      <Answer {...props} isElsewhere={(piece) => joined.has(piece)} isErrorShown={isInside} />
      {row.status === 'error' && isInside && (
        <p className="ins-tx__after">
          {TRANSCRIPT_TEXT.causedBy}{' '}
          <button type="button" className="ins-link" tabIndex={-1} onClick={() => onGoTo(cause)}>
            {TRANSCRIPT_TEXT.hasFailed(plainName(causeRow.name))}
          </button>
        </p>
      )}
    </>
  );
}

function Answer({
  entry,
  row,
  layout,
  readings,
  isOpen,
  isElsewhere,
  isErrorShown = false,
}: CallProps & {
  readonly isElsewhere: (piece: Piece) => boolean;
  readonly isErrorShown?: boolean;
}) {
  const reading = useRow(readings.reads, entry.key)?.reading;
  const next = useRow(readings.reads, layout.next.get(entry.key) ?? '');
  const results = useMemo(() => resultsOf(next?.reading), [next]);
  const { isRaw } = useReading();
  const isErrorRepeated = useIsErrorRepeated(entry.key, layout);
  return (
    <>
      {reading?.so_far != null && (
        <div className="ins-msg ins-msg--output">
          <SoFar soFar={reading.so_far} isRaw={isRaw} />
        </div>
      )}
      {(reading?.said ?? [])
        .filter(({ origin }) => origin === 'output')
        .map((one) => (
          <Message
            key={one.pieces[0]?.at.join() ?? one.role}
            message={one}
            isElsewhere={isElsewhere}
            isOpen={isOpen}
            resultOf={(call) => (call.id == null ? undefined : results.get(call.id))}
          />
        ))}
      <Moments reading={reading} />
      {row.status === 'error' && !isErrorShown && (
        <>
          {reading !== undefined && <ErrorBlock reading={reading} isRepeated={isErrorRepeated} />}
          <Consequence of={entry.key} layout={layout} />
        </>
      )}
    </>
  );
}

function joinedOf(
  reading: Reading | undefined,
  tools: readonly string[],
  trace: Trace,
  readings: ReadingStores,
): ReadonlySet<Piece> {
  const calls = callsOf(reading);
  const ran = tools.flatMap((key) => {
    const row = trace.spans.get(key);
    if (row === undefined) return [];
    const tool = readings.reads.get(key)?.reading.tool;
    return [{ key, name: tool?.name ?? plainName(row.name), call_id: tool?.call_id ?? undefined }];
  });
  const found = joinCalls(calls, ran);
  return new Set(calls.filter((_, at) => found.has(at)));
}

function idsOf(read: Read | undefined): ReadonlySet<string> {
  return new Set(callsOf(read?.reading).flatMap(({ id }) => (id == null ? [] : [id])));
}

/** Change of the messages that the model was sent before. */
function History({
  reading,
  isOfAgent,
  isNewRun,
}: {
  readonly reading: Reading;
  /** Whether the call belongs to an agent; others may be unrelated. */
  readonly isOfAgent: boolean;
  /**
   * Whether the previous call was in another run of the agent: then a new start removes nothing.
   */
  readonly isNewRun: boolean;
}) {
  const { spanKey, onOpen } = useReading();
  const { rewritten, left_out } = reading;
  return (
    <>
      {rewritten !== null && (rewritten.kept > 0 || (isOfAgent && !isNewRun)) && (
        <p className="ins-tx__history">
          {rewritten.kept > 0
            ? TRANSCRIPT_TEXT.rewritten(rewritten.gone, rewritten.kept)
            : TRANSCRIPT_TEXT.replaced(rewritten.gone)}
        </p>
      )}
      {left_out > 0 && (
        <p className="ins-tx__history">
          {SPAN_TEXT.earlier(left_out)}{' '}
          <button type="button" className="ins-link" tabIndex={-1} onClick={() => onOpen(spanKey)}>
            {TRANSCRIPT_TEXT.openSpan}
          </button>
        </p>
      )}
    </>
  );
}

function Usage({ row }: { readonly row: SpanRow }) {
  if (row.input_tokens === null && row.output_tokens === null) return null;
  return (
    <span className="ins-tx__quiet" title={TRANSCRIPT_TEXT.tokensTitle}>
      {TRANSCRIPT_TEXT.tokens(
        formatCount(row.input_tokens ?? 0),
        formatCount(row.output_tokens ?? 0),
      )}
    </span>
  );
}

/** Reason why the model stopped, unless it is the usual one. */
function Stopped({ reading }: { readonly reading: Reading | undefined }) {
  const odd = (reading?.finish_reasons ?? []).filter(
    (reason) => !['stop', 'tool_call', 'tool_calls', 'end_turn'].includes(reason),
  );
  const slow_ms = reading?.first_chunk_ms ?? 0;
  return (
    <>
      {odd.map((reason) => (
        <span key={reason} className="ins-tx__tag ins-tx__tag--odd">
          {TRANSCRIPT_TEXT.finishReason(reason)}
        </span>
      ))}
      {slow_ms > 3000 && (
        <span className="ins-tx__tag">
          {TRANSCRIPT_TEXT.firstToken(formatDuration(slow_ms * 1e6))}
        </span>
      )}
    </>
  );
}

/** Names of the tools that the model called; without content, of those that ran after. */
function asksFor(
  reading: Reading | undefined,
  joined: ReadonlySet<Piece>,
  tools: readonly string[],
  trace: Trace,
): readonly string[] {
  if (joined.size > 0) return [...joined].map(({ name }) => name ?? PARTS_TEXT.noName);
  const hasAnswer = reading?.said.some(({ origin }) => origin === 'output') ?? false;
  const isForTools = reading?.finish_reasons.some((reason) => reason.startsWith('tool')) ?? false;
  if (hasAnswer && !isForTools) return [];
  return tools.map((key) => plainName(trace.spans.get(key)?.name ?? ''));
}

/** Names of called tools: `calls search × 3, fetch`. */
function Asks({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const shown = [...counts].map(([name, count]) => (count === 1 ? name : `${name} × ${count}`));
  return (
    <span className="ins-tx__quiet ins-tx__asks">
      {TRANSCRIPT_TEXT.calls} {shown.slice(0, 6).join(', ')}
      {shown.length > 6 && ` ${andMore(shown.length - 6)}`}
    </span>
  );
}

/**
 * Decisions, questions and state of the agent since the previous turn; those before the first turn
 * are shown above it.
 */
function SinceTurnBefore({
  entry,
  row,
  layout,
  readings,
  trace,
}: EntryProps & { readonly row: SpanRow }) {
  const agent = layout.agentOf.get(entry.key) ?? '';
  const read = useRow(readings.reads, agent);
  const before = layout.before.get(entry.key) ?? '';
  if (layout.agentOf.get(before) !== agent) return null;
  const began_ns = trace.spans.get(before)?.offset_ns;
  if (began_ns === undefined) return null;
  return <Moments reading={read?.reading} after_ns={began_ns} until_ns={row.offset_ns} />;
}
