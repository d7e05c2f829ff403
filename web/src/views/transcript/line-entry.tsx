/** Entry of one line: a resource, a prompt, an MCP operation, a step. */
import { useMemo } from 'react';
import type { Clip, Reading, SpanDetail, SpanRow } from '../../api/types.ts';
import { readServerAsk } from '../../model/mcp/server-asks.ts';
import { argumentPairs } from '../../model/transcript/transcript-text.ts';
import { PARTS_TEXT, TRANSCRIPT_TEXT, the } from '../../texts.ts';
import { useRow } from '../parts/context.ts';
import { KindIcon, kindName, StatusIcon } from '../parts/icons.tsx';
import { SpanRequests } from '../parts/requests/span-requests.tsx';
import { VisibleText } from '../parts/visible-text.tsx';
import { ClipView } from './clip-view.tsx';
import type { EntryProps } from './entry-parts.tsx';
import { Message } from './messages.tsx';
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

export function LineEntry(props: EntryProps & { readonly row: SpanRow }) {
  const { entry, row, layout, readings, trace, isOpen, waiting } = props;
  const reading = useRow(readings.reads, entry.key)?.reading;
  const isErrorRepeated = useIsErrorRepeated(entry.key, layout);
  const mcp = reading?.mcp ?? null;
  const subject = mcp?.resource_uri ?? mcp?.prompt_name ?? null;
  const isFailed = row.status === 'error';
  return (
    <>
      <header className="ins-tx__head">
        <KindIcon kind={row.kind} />
        <span>{entry.type === 'heading' ? <strong>{plainName(row.name)}</strong> : row.name}</span>
        {entry.type === 'line' && row.kind !== 'other' && mcp === null && (
          <span className="ins-tx__quiet">{kindName(row.kind)}</span>
        )}
        {subject !== null && !row.name.includes(subject) && (
          <code>
            <VisibleText text={subject} />
          </code>
        )}
        {mcp?.server != null && (
          <span className="ins-tx__quiet">{TRANSCRIPT_TEXT.onServer(mcp.server)}</span>
        )}
        {row.duplicate_of !== null && <span className="ins-tx__tag">{PARTS_TEXT.duplicate}</span>}
        {isFailed && (
          <span className="ins-tx__state-mark ins-tx__state-mark--failed">
            <StatusIcon shape="failed" /> {PARTS_TEXT.failed}
          </span>
        )}
        {(row.status === 'cancelled' || row.status === 'lost') && (
          <span className="ins-tx__state-mark">
            <StatusIcon shape={row.status} />
            {row.status}
          </span>
        )}
        {row.status === 'running' && (
          <span className="ins-tx__running">{TRANSCRIPT_TEXT.isRunning}</span>
        )}
      </header>
      {waiting.map((key) => (
        <SpanRequests key={key} sessionId={trace.sessionId} spanKey={key} />
      ))}
      {reading !== undefined && (
        <>
          {isFailed && <ErrorBlock reading={reading} isRepeated={isErrorRepeated} />}
          {isFailed && <Consequence of={entry.key} layout={layout} />}
          <Decisions decisions={reading.decisions} />
          <RequestLines requests={reading.asked} />
          <StateLines reading={reading} />
          {mcp !== null && <ServerAskLine mcp={mcp} />}
          {isOpen && mcp !== null && (
            <>
              <Exchange clip={mcp.request} what={TRANSCRIPT_TEXT.request} whole={requestOf} />
              <Exchange clip={mcp.response} what={TRANSCRIPT_TEXT.response} whole={responseOf} />
            </>
          )}
          {(isOpen || entry.type === 'line') &&
            reading.said.map((message) => (
              <Message
                key={message.pieces[0]?.at.join() ?? message.role}
                message={message}
                isOpen={isOpen}
                isElsewhere={() => false}
                resultOf={() => undefined}
              />
            ))}
        </>
      )}
    </>
  );
}

/** Request of a server during a call, and the client's answer. */
function ServerAskLine({ mcp }: { readonly mcp: NonNullable<Reading['mcp']> }) {
  const ask = useMemo(() => readServerAsk(mcp.method, mcp.request, mcp.response), [mcp]);
  if (ask === undefined) return null;
  const pairs = ask.content === undefined ? undefined : argumentPairs(ask.content);
  return (
    <div className="ins-tx__asked ins-tx__asked--server">
      {ask.asked !== undefined && (
        <p>
          <span className="ins-tx__prompt">
            <VisibleText text={ask.asked} />
          </span>
        </p>
      )}
      {(ask.action !== undefined || ask.text !== undefined) && (
        <p>
          <strong>
            {ask.action === undefined
              ? (ask.model ?? TRANSCRIPT_TEXT.aModel)
              : (TRANSCRIPT_TEXT.actions[ask.action] ?? ask.action)}
          </strong>
          {pairs !== undefined && <Pairs pairs={pairs} />}
          {ask.text !== undefined && (
            <span className="ins-tx__reason">
              <VisibleText text={ask.text} />
            </span>
          )}
          {ask.action !== undefined && <span>{TRANSCRIPT_TEXT.byClient}</span>}
        </p>
      )}
    </div>
  );
}

function requestOf({ view }: SpanDetail) {
  return view.mcp?.request?.text;
}

function responseOf({ view }: SpanDetail) {
  return view.mcp?.response?.text;
}

interface ExchangeProps {
  readonly clip: Clip | null;
  readonly what: string;
  readonly whole: (detail: SpanDetail) => string | undefined;
}

function Exchange({ clip, what, whole }: ExchangeProps) {
  if (clip === null) return null;
  return (
    <>
      <p className="ins-tx__label">{what}</p>
      <ClipView clip={clip} what={the(what)} whole={whole} />
    </>
  );
}
