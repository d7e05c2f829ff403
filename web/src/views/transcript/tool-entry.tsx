/** Tool call: its arguments and its result. */
import { useMemo } from 'react';
import type { Clip, Reading, SpanDetail, SpanRow } from '../../api/types.ts';
import { formatShare } from '../../model/text/format.ts';
import {
  areDeep,
  argumentPairs,
  callsOf,
  joinCalls,
  resultsOf,
} from '../../model/transcript/transcript-text.ts';
import { MCP_TEXT, PARTS_TEXT, SESSION_TEXT, TRANSCRIPT_TEXT } from '../../texts.ts';
import { useCell, useRow } from '../parts/context.ts';
import { KindIcon, StatusIcon } from '../parts/icons.tsx';
import { SpanRequests } from '../parts/requests/span-requests.tsx';
import { VisibleText } from '../parts/visible-text.tsx';
import { ClipView } from './clip-view.tsx';
import { type EntryProps, Took } from './entry-parts.tsx';
import {
  Consequence,
  Decisions,
  ErrorBlock,
  plainName,
  RequestLines,
  useIsErrorRepeated,
} from './moments.tsx';
import { Pairs } from './pairs.tsx';
import { StateLines } from './state-lines.tsx';

export function ToolEntry(props: EntryProps & { readonly row: SpanRow }) {
  const { entry, row, layout, readings, trace, isOpen, waiting } = props;
  const read = useRow(readings.reads, entry.key);
  const reading = read?.reading;
  const callKey = layout.callOf.get(entry.key) ?? '';
  const call = useRow(readings.reads, callKey)?.reading;
  const next = useRow(readings.reads, layout.next.get(callKey) ?? '')?.reading;
  const found = useMemo(() => fromMessages(reading, call, next), [reading, call, next]);
  const again = useRow(trace.spans, layout.again.get(entry.key) ?? '');
  const args = reading?.tool?.arguments ?? found.arguments;
  const result = reading?.tool?.result ?? found.result;
  const isFailed = row.status === 'error' || reading?.tool?.is_error === true;
  const isErrorRepeated = useIsErrorRepeated(entry.key, layout);
  const isDenied =
    isFailed && (reading?.decisions.some(({ action }) => action === 'deny') ?? false);
  return (
    <>
      <header className="ins-tx__head">
        <KindIcon kind="tool" />
        <strong>{reading?.tool?.name ?? plainName(row.name)}</strong>
        {reading?.mcp?.server != null && (
          <span className="ins-tx__quiet">{MCP_TEXT.ofServer(reading.mcp.server)}</span>
        )}
        <ToolState {...props} isFailed={isFailed} isDenied={isDenied} />
      </header>
      {args !== null && args !== undefined && <Arguments clip={args} isOpen={isOpen} />}
      {reading !== undefined && <Decisions decisions={reading.decisions} />}
      {waiting.map((key) => (
        <SpanRequests key={key} sessionId={trace.sessionId} spanKey={key} />
      ))}
      {reading !== undefined && <RequestLines requests={reading.asked} />}
      <Running reading={reading} row={row} trace={trace} />
      {row.status === 'error' && reading !== undefined && !isInDecision(reading) && (
        <ErrorBlock reading={reading} isRepeated={isErrorRepeated} />
      )}
      {result != null && !isInError(reading, result) && (
        <div className={`ins-tx__result${isFailed ? ' ins-tx__result--failed' : ''}`}>
          <ClipView
            clip={result}
            what={PARTS_TEXT.result}
            whole={resultOf}
            isShort={!isOpen}
            isMarkdown={isOpen}
          />
        </div>
      )}
      {reading !== undefined && <StateLines reading={reading} />}
      {isFailed && row.status !== 'running' && (
        <Consequence of={entry.key} layout={layout} again={again} />
      )}
    </>
  );
}

function resultOf({ view }: SpanDetail): string | undefined {
  return view.tool?.result?.text;
}

/** Whether the error is the reason of the decision that denied the call, which is shown. */
function isInDecision({ error, decisions }: Reading): boolean {
  const message = error?.message?.text;
  return message !== undefined && decisions.some(({ reason }) => reason === message);
}

/** Whether the result repeats the error's message. */
function isInError(reading: Reading | undefined, result: Clip): boolean {
  const message = reading?.error?.message?.text;
  return message !== undefined && message.length > 20 && result.text.includes(message);
}

function ToolState({
  row,
  trace,
  waiting,
  isFailed,
  isDenied,
}: EntryProps & {
  readonly row: SpanRow;
  readonly isFailed: boolean;
  readonly isDenied: boolean;
}) {
  if (row.status === 'running') {
    return (
      <span className="ins-tx__running">
        {waiting.length > 0 ? SESSION_TEXT.waiting : TRANSCRIPT_TEXT.isRunning}{' '}
        <Took trace={trace} row={row} />
      </span>
    );
  }
  if (row.status === 'cancelled' || row.status === 'lost') {
    return (
      <span className="ins-tx__state-mark">
        <StatusIcon shape={row.status} />
        {row.status}
      </span>
    );
  }
  return isFailed ? (
    <span className="ins-tx__state-mark ins-tx__state-mark--failed">
      <StatusIcon shape="failed" />
      {isDenied ? TRANSCRIPT_TEXT.denied : PARTS_TEXT.failed}
    </span>
  ) : null;
}

/** Arguments and result from the model's messages, for a tool whose own span lacks them. */
function fromMessages(
  reading: Reading | undefined,
  call: Reading | undefined,
  next: Reading | undefined,
): { readonly arguments: Clip | null; readonly result: Clip | null } {
  const tool = reading?.tool;
  if (tool == null || (tool.arguments !== null && tool.result !== null)) return NOTHING;
  const calls = callsOf(call);
  const at = joinCalls(calls, [
    { key: '', name: tool.name, call_id: tool.call_id ?? undefined },
  ]).keys();
  const request = calls[at.next().value ?? -1];
  const answered = request?.id == null ? undefined : resultsOf(next).get(request.id);
  return { arguments: request?.clip ?? null, result: answered?.clip ?? null };
}

const NOTHING = { arguments: null, result: null };

function Running({
  reading,
  row,
  trace,
}: {
  readonly reading: Reading | undefined;
  readonly row: SpanRow;
  readonly trace: EntryProps['trace'];
}) {
  const isFrozen = useCell(trace.freeze) !== undefined;
  const progress = reading?.progress;
  if (progress == null || row.status !== 'running' || isFrozen) return null;
  const percent = progress.percent === null ? undefined : Math.round(progress.percent);
  return (
    <p className="ins-tx__progress">
      {percent !== undefined && (
        <>
          <progress value={percent} max={100} aria-label={TRANSCRIPT_TEXT.progress} />
          {formatShare(percent / 100)}
        </>
      )}
      {progress.message !== null && <VisibleText text={progress.message} />}
    </p>
  );
}

function Arguments({ clip, isOpen }: { readonly clip: Clip; readonly isOpen: boolean }) {
  const pairs = useMemo(
    () => (isOpen || areDeep(clip) ? undefined : argumentPairs(clip)),
    [clip, isOpen],
  );
  if (pairs === undefined) {
    return (
      <ClipView
        clip={clip}
        what={PARTS_TEXT.arguments}
        whole={({ view }) => view.tool?.arguments?.text}
        isShort={!isOpen}
      />
    );
  }
  return <Pairs pairs={pairs} />;
}
