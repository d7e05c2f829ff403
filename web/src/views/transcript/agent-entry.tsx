/** Entries of an agent: folded, its task and its answer; unfolded, its beginning and its end. */
import type { Clip, Reading, SpanDetail, SpanRow } from '../../api/types.ts';
import { formatCount, formatDuration, plural } from '../../model/text/format.ts';
import { isSameError } from '../../model/transcript/repeated-error.ts';
import type { Sum } from '../../model/transcript/transcript.ts';
import { argumentPairs } from '../../model/transcript/transcript-text.ts';
import type { Read } from '../../state/transcript.ts';
import { PARTS_TEXT, TRANSCRIPT_TEXT } from '../../texts.ts';
import { useRow } from '../parts/context.ts';
import { ActionIcon, KindIcon, StatusIcon } from '../parts/icons.tsx';
import { SpanRequests } from '../parts/requests/span-requests.tsx';
import { VisibleText } from '../parts/visible-text.tsx';
import { ClipView } from './clip-view.tsx';
import { type EntryProps, Took } from './entry-parts.tsx';
import {
  Consequence,
  Decisions,
  ErrorBlock,
  Moments,
  plainName,
  useIsErrorRepeated,
} from './moments.tsx';
import { Pairs } from './pairs.tsx';
import { useReading } from './reading-context.ts';

type AgentProps = EntryProps & { readonly row: SpanRow };

export function AgentEntry(props: AgentProps) {
  const { entry, row, layout, trace, readings, waiting, onFold } = props;
  const read = useRow(readings.reads, entry.key);
  const via = useRow(readings.reads, entry.via ?? '');
  const viaRow = useRow(trace.spans, entry.via ?? '');
  const sum = layout.sums.get(entry.key);
  const inside = useRow(readings.reads, sum?.cause ?? '');
  const isWhole = !entry.isFolded && sum !== undefined && sum.turns + sum.turnsBelow > 0;
  const foldName = entry.isFolded ? TRANSCRIPT_TEXT.unfoldAgent : TRANSCRIPT_TEXT.foldAgent;
  return (
    <>
      <header className="ins-tx__head">
        {entry.isCard && (
          <button
            type="button"
            className="ins-tx__caret"
            tabIndex={-1}
            aria-expanded={!entry.isFolded}
            title={foldName}
            aria-label={foldName}
            onClick={() => onFold(entry, !entry.isFolded)}
          >
            <ActionIcon name="caret" />
          </button>
        )}
        <KindIcon kind="agent" />
        <strong>{plainName(row.name)}</strong>
        {viaRow !== undefined && (
          <span className="ins-tx__quiet">{TRANSCRIPT_TEXT.via(plainName(viaRow.name))}</span>
        )}
        {entry.atOnce > 1 && (
          <span className="ins-tx__tag">{TRANSCRIPT_TEXT.parallel(entry.atOnce)}</span>
        )}
        <State row={row} />
        {sum !== undefined && <Counts sum={sum} />}
        <span className="ins-tx__quiet">
          <Took trace={trace} row={row} />
        </span>
      </header>
      {!isWhole && <Task read={read} via={via} isShort={entry.isFolded} />}
      <Decisions decisions={via?.reading.decisions ?? []} />
      {isWhole ? (
        <Moments reading={read?.reading} until_ns={beganAt(props, layout.firstCall)} />
      ) : (
        <Decisions decisions={read?.reading.decisions ?? []} />
      )}
      {entry.isFolded && (
        <>
          <Inside {...props} sum={sum} />
          {waiting.map((key) => (
            <SpanRequests key={key} sessionId={trace.sessionId} spanKey={key} />
          ))}
          <Answer read={read} via={via} isShort />
          {row.status === 'error' && read !== undefined && (
            <ErrorBlock
              reading={read.reading}
              isRepeated={repeatsInside(read.reading, inside?.reading)}
            />
          )}
        </>
      )}
    </>
  );
}

/** Whether a folded agent repeats what it says of the failure inside of it. */
function repeatsInside(own: Reading, inside: Reading | undefined): boolean {
  const why = inside?.error?.message?.text.trim();
  if (inside === undefined || inside === own || why === undefined) return false;
  return firstLine(why) === why && isSameError(inside.error, own.error);
}

/** Start of the agent's first or last turn; the turns themselves show what happened between. */
function beganAt({ entry, trace }: AgentProps, calls: ReadonlyMap<string, string>): number {
  return trace.spans.get(calls.get(entry.key) ?? '')?.offset_ns ?? Infinity;
}

function State({ row }: { readonly row: SpanRow }) {
  switch (row.status) {
    case 'error':
      return (
        <span className="ins-tx__state-mark ins-tx__state-mark--failed">
          <StatusIcon shape="failed" /> {PARTS_TEXT.failed}
        </span>
      );
    case 'cancelled':
      return (
        <span className="ins-tx__state-mark">
          <StatusIcon shape="cancelled" /> {PARTS_TEXT.cancelled}
        </span>
      );
    case 'lost':
      return (
        <span className="ins-tx__state-mark">
          <StatusIcon shape="lost" /> {PARTS_TEXT.lost}
        </span>
      );
    case 'running':
      return (
        <span className="ins-tx__state-mark ins-tx__state-mark--running">
          <StatusIcon shape="running" />
          {TRANSCRIPT_TEXT.isRunning}
        </span>
      );
    default:
      return null;
  }
}

function Counts({ sum }: { readonly sum: Sum }) {
  const parts = [
    sum.turns > 0 ? plural(sum.turns, 'turn') : '',
    sum.turnsBelow > 0 ? TRANSCRIPT_TEXT.turnsBelow(sum.turnsBelow, sum.turns > 0) : '',
    sum.tools > 0 ? TRANSCRIPT_TEXT.toolCalls(sum.tools) : '',
    sum.tokens > 0 ? TRANSCRIPT_TEXT.allTokens(formatCount(sum.tokens)) : '',
  ].filter((part) => part !== '');
  return (
    <span className="ins-tx__counts">
      {parts.join(' · ')}
      {sum.errors > 0 && (
        <span className="ins-tx__errors">
          {parts.length > 0 && ' · '}
          {plural(sum.errors, 'error')}
        </span>
      )}
    </span>
  );
}

const MAX_WHY = 160;

/** Progress or failure of a folded agent. */
function Inside({
  sum,
  trace,
  readings,
  row,
  onGoTo,
}: AgentProps & { readonly sum: Sum | undefined }) {
  const cause = useRow(trace.spans, sum?.cause ?? '');
  const why = useRow(readings.reads, sum?.cause ?? '')?.reading.error?.message?.text;
  const running = useRow(trace.spans, sum?.running ?? '');
  return (
    <>
      {cause !== undefined &&
        sum?.cause !== undefined &&
        sum.cause !== `${row.trace_id}.${row.span_id}` && (
          <p className="ins-tx__inside">
            <StatusIcon shape="failed" />
            {TRANSCRIPT_TEXT.failedInside(plainName(cause.name))}
            {why === undefined ? '.' : ': '}
            {why !== undefined && (
              <span className="ins-tx__why">
                <VisibleText text={firstLine(why)} />
              </span>
            )}
            {row.status !== 'error' &&
              row.status !== 'running' &&
              ` ${TRANSCRIPT_TEXT.agentContinued}`}
            <button
              type="button"
              className="ins-link"
              tabIndex={-1}
              onClick={() => sum.cause !== undefined && onGoTo(sum.cause)}
            >
              {TRANSCRIPT_TEXT.show}
            </button>
          </p>
        )}
      {row.status === 'running' && running !== undefined && (
        <p className="ins-tx__inside ins-tx__inside--running">
          <KindIcon kind={running.kind} />
          {plainName(running.name)} <Took trace={trace} row={running} />
        </p>
      )}
    </>
  );
}

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length <= MAX_WHY ? line : `${line.slice(0, MAX_WHY - 1)}…`;
}

interface TextProps {
  readonly read: Read | undefined;
  /** The tool that called the agent. */
  readonly via: Read | undefined;
  readonly isShort: boolean;
}

function Task({ read, via, isShort }: TextProps) {
  const input = inputOf(read?.reading);
  const callArguments = via?.reading.tool?.arguments ?? null;
  if (input === undefined && callArguments === null) return null;
  const pairs =
    input === undefined && callArguments !== null ? argumentPairs(callArguments) : undefined;
  return (
    <div className="ins-tx__task">
      <span className="ins-tx__label">{TRANSCRIPT_TEXT.task}</span>
      {input !== undefined ? (
        <ClipView {...input} what={TRANSCRIPT_TEXT.theTask} isMarkdown isShort={isShort} />
      ) : pairs !== undefined ? (
        <Pairs pairs={pairs} />
      ) : (
        callArguments !== null && (
          <ClipView
            clip={callArguments}
            what={TRANSCRIPT_TEXT.theTask}
            whole={noWhole}
            isShort={isShort}
          />
        )
      )}
    </div>
  );
}

function Answer({ read, via, isShort }: TextProps) {
  const output = outputOf(read?.reading);
  const result = via?.reading.tool?.result ?? null;
  if (output === undefined && result === null) return null;
  return (
    <div className="ins-tx__task">
      <span className="ins-tx__label">{TRANSCRIPT_TEXT.answer}</span>
      {output !== undefined ? (
        <ClipView {...output} what={TRANSCRIPT_TEXT.theAnswer} isMarkdown isShort={isShort} />
      ) : (
        result !== null && (
          <ClipView
            clip={result}
            what={TRANSCRIPT_TEXT.theAnswer}
            whole={noWhole}
            isMarkdown
            isShort={isShort}
          />
        )
      )}
    </div>
  );
}

interface Found {
  readonly clip: Clip;
  readonly whole: (detail: SpanDetail) => string | undefined;
}

/** No whole text: it belongs to the span of the tool, not to that of the entry. */
const noWhole = () => undefined;

function inputOf(reading: Reading | undefined): Found | undefined {
  return textOf(reading, ({ origin, role }) => origin === 'input' && role !== 'system');
}

function outputOf(reading: Reading | undefined): Found | undefined {
  return textOf(reading, ({ origin }) => origin === 'output');
}

/** The last text among messages that match. */
function textOf(
  reading: Reading | undefined,
  fits: (message: Reading['said'][number]) => boolean,
): Found | undefined {
  const piece = reading?.said
    .filter(fits)
    .flatMap(({ pieces }) => pieces)
    .findLast(({ type, clip }) => type === 'text' && clip !== null && clip.chars > 0);
  if (piece?.clip == null) return undefined;
  const [message, part] = piece.at;
  return {
    clip: piece.clip,
    whole: ({ view }) => {
      const found = view.messages[message]?.parts[part];
      return found?.type === 'text' ? found.text : undefined;
    },
  };
}

/** End of an agent: its outcome, and its answer unless the last turn shows it. */
export function AgentEnd(props: AgentProps) {
  const { entry, row, layout, readings, trace } = props;
  const { onGoTo } = useReading();
  const read = useRow(readings.reads, entry.key);
  const last = useRow(readings.reads, layout.lastCall.get(entry.key) ?? '');
  const answer = outputOf(read?.reading);
  const isRepeated =
    answer !== undefined && outputOf(last?.reading)?.clip.text === answer.clip.text;
  const cause = layout.sums.get(entry.key)?.cause;
  const causeRow = useRow(trace.spans, cause ?? '');
  const isOwn = cause === entry.key;
  const isErrorRepeated = useIsErrorRepeated(entry.key, layout);
  return (
    <>
      <Moments reading={read?.reading} after_ns={beganAt(props, layout.lastCall)} />
      <header className="ins-tx__head">
        <KindIcon kind="agent" />
        <span>
          {plainName(row.name)}{' '}
          {row.status === 'running' ? (
            <>
              {TRANSCRIPT_TEXT.hasBeenWorkingFor} <Took trace={trace} row={row} />
            </>
          ) : (
            endingOf(row)
          )}
        </span>
      </header>
      {row.status === 'error' && (
        <>
          {read !== undefined && <ErrorBlock reading={read.reading} isRepeated={isErrorRepeated} />}
          {causeRow !== undefined && cause !== undefined && !isOwn && (
            <p className="ins-tx__after">
              {TRANSCRIPT_TEXT.causedBy}{' '}
              <button
                type="button"
                className="ins-link"
                tabIndex={-1}
                onClick={() => onGoTo(cause)}
              >
                {TRANSCRIPT_TEXT.hasFailed(plainName(causeRow.name))}
              </button>
            </p>
          )}
          <Consequence of={entry.key} layout={layout} />
        </>
      )}
      {answer !== undefined && last !== undefined && !isRepeated && (
        <ClipView {...answer} what={TRANSCRIPT_TEXT.theAnswer} isMarkdown />
      )}
    </>
  );
}

function endingOf({ status, duration_ns }: SpanRow): string {
  const how = TRANSCRIPT_TEXT.endings[status] ?? status;
  return duration_ns === null ? how : TRANSCRIPT_TEXT.endedAfter(how, formatDuration(duration_ns));
}
