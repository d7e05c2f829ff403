/** What is said in one line: a resource that was read, a prompt, MCP, a step. */
import type { Clip, SpanDetail, SpanRow } from '../../api/types.ts';
import { useRow } from '../context.ts';
import { KindIcon, kindName, StatusIcon } from '../icons.tsx';
import { SpanRequests } from '../requests/span-requests.tsx';
import { VisibleText } from '../requests/visible-text.tsx';
import { ClipView } from './clip-view.tsx';
import type { EntryProps } from './entry.tsx';
import { Message } from './messages.tsx';
import {
  AskedLines,
  Consequence,
  Decisions,
  ErrorBlock,
  plainName,
  StateLines,
} from './moments.tsx';

export function LineEntry(props: EntryProps & { readonly row: SpanRow }) {
  const { entry, row, layout, readings, isOpen, waiting } = props;
  const reading = useRow(readings.reads, entry.key)?.reading;
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
        {mcp?.server != null && <span className="ins-tx__quiet">of {mcp.server}</span>}
        {row.duplicate_of !== null && <span className="ins-tx__tag">twin</span>}
        {isFailed && (
          <span className="ins-tx__state-mark ins-tx__state-mark--failed">
            <StatusIcon shape="failed" />
            failed
          </span>
        )}
        {(row.status === 'cancelled' || row.status === 'lost') && (
          <span className="ins-tx__state-mark">
            <StatusIcon shape={row.status} />
            {row.status}
          </span>
        )}
        {row.status === 'running' && <span className="ins-tx__running">running</span>}
      </header>
      {waiting.map((key) => (
        <SpanRequests key={key} spanKey={key} />
      ))}
      {reading !== undefined && (
        <>
          {isFailed && <ErrorBlock reading={reading} />}
          {isFailed && <Consequence of={entry.key} layout={layout} />}
          <Decisions decisions={reading.decisions} />
          <AskedLines asked={reading.asked} />
          <StateLines state={reading.state} />
          {isOpen && mcp !== null && (
            <>
              <Exchange clip={mcp.request} what="request" whole={requestOf} />
              <Exchange clip={mcp.response} what="response" whole={responseOf} />
            </>
          )}
          {(isOpen || entry.type === 'line') &&
            reading.said.map((said) => (
              <Message
                key={said.pieces[0]?.at.join() ?? said.role}
                said={said}
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
      <ClipView clip={clip} what={`the ${what}`} whole={whole} />
    </>
  );
}
