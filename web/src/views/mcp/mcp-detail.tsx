/** Details of an opened line: each round with both messages, and the events between. */
import type { McpEntry } from '../../api/types.ts';
import type { McpCall } from '../../model/mcp/mcp-calls.ts';
import type { McpRound } from '../../model/mcp/mcp-frames.ts';
import { formatDuration, formatOffset, formatShare } from '../../model/text/format.ts';
import { MCP_TEXT, PARTS_TEXT, SPAN_TEXT, TRANSCRIPT_TEXT } from '../../texts.ts';
import { SpanRequests } from '../parts/requests/span-requests.tsx';
import { VisibleText } from '../parts/visible-text.tsx';
import { FrameView } from './mcp-frame.tsx';
import { ServerName } from './mcp-servers.tsx';
import { faultText } from './mcp-words.ts';

interface McpDetailProps {
  readonly sessionId: string;
  readonly call: McpCall;
  readonly onOpenSpan: (key: string) => void;
}

export function McpDetail({ sessionId, call, onOpenSpan }: McpDetailProps) {
  const fault = faultText(call);
  return (
    <div className="ins-mcp-detail">
      <p className="ins-mcp-detail__facts">
        <Facts call={call} />
        {call.spanKey !== undefined && (
          <button
            type="button"
            className="ins-link"
            onClick={() => call.spanKey !== undefined && onOpenSpan(call.spanKey)}
          >
            {TRANSCRIPT_TEXT.openSpan}
          </button>
        )}
      </p>
      {fault !== '' && (
        <p className="ins-mcp-detail__fault">
          {fault}{' '}
          {call.fault?.message != null && <VisibleText text={call.fault.message.slice(0, 2000)} />}
        </p>
      )}
      {call.spanKey !== undefined && <SpanRequests sessionId={sessionId} spanKey={call.spanKey} />}
      {call.rounds.slice(0, MAX_ROUNDS).map((round, at) => (
        <Round
          key={(round.request ?? round.response)?.key ?? at}
          sessionId={sessionId}
          call={call}
          round={round}
          number={at + 1}
        />
      ))}
      <Notes notes={call.notes} />
    </div>
  );
}

const MAX_ROUNDS = 20;

function Facts({ call }: { readonly call: McpCall }) {
  const entry = call.rounds[0]?.request ?? call.rounds[0]?.response;
  const last = call.rounds.at(-1)?.response;
  const facts = [
    last?.protocol_version ?? entry?.protocol_version,
    entry?.transport,
    entry?.connection == null ? undefined : MCP_TEXT.connection(entry.connection),
    entry?.step == null ? undefined : MCP_TEXT.at(entry.step),
    entry?.attempt == null ? undefined : MCP_TEXT.attempt(entry.attempt),
  ].filter((fact) => fact != null);
  return (
    <>
      <ServerName name={call.server} />
      {facts.map((fact) => (
        <span key={fact}>
          <VisibleText text={String(fact)} />
        </span>
      ))}
      <FarEnd round={call.farEnd} />
    </>
  );
}

/** Time that the other process reports. */
function FarEnd({ round }: { readonly round: McpRound | undefined }) {
  if (round?.request === undefined || round.response === undefined) return null;
  const took_ns = round.response.offset_ns - round.request.offset_ns;
  return <span>{MCP_TEXT.serverTime(formatDuration(took_ns))}</span>;
}

interface RoundProps {
  readonly sessionId: string;
  readonly call: McpCall;
  readonly round: McpRound;
  readonly number: number;
}

function Round({ sessionId, call, round, number }: RoundProps) {
  const { request, response } = round;
  const many = call.rounds.length > 1;
  if (call.kind === 'transport') return <Reason entry={request} />;
  return (
    <div className="ins-mcp-round">
      {many && (
        <h3 className="ins-mcp-round__head">
          {MCP_TEXT.round(number, response?.result_type === 'input_required')}
        </h3>
      )}
      <Questions entry={request} />
      <div className="ins-mcp-round__pair">
        {call.kind === 'call' && request === undefined && (
          <p className="ins-mcp-frame__none">{MCP_TEXT.noRequest}</p>
        )}
        {request !== undefined && (
          <FrameView
            key={request.key}
            sessionId={sessionId}
            entry={request}
            what={MCP_TEXT.theRequest(many ? number : undefined)}
          />
        )}
        {response !== undefined && (
          <FrameView
            key={response.key}
            sessionId={sessionId}
            entry={response}
            what={MCP_TEXT.theResponse(many ? number : undefined)}
          />
        )}
        {call.kind === 'call' && response === undefined && (
          <p className="ins-mcp-frame__none">
            {call.state === 'pending' ? SPAN_TEXT.notAnswered : MCP_TEXT.noResponse}
          </p>
        )}
      </div>
      <Questions entry={response} />
    </div>
  );
}

/** Reason why a connection closed or failed; the line has room for its beginning only. */
function Reason({ entry }: { readonly entry: McpEntry | undefined }) {
  if (entry?.text == null || entry.text === '') return null;
  const isBad = entry.state === 'failed';
  return (
    <p className={isBad ? 'ins-mcp-detail__fault' : 'ins-mcp-detail__reason'}>
      <VisibleText text={entry.text} />
    </p>
  );
}

/** Questions of a message to a person or a model, or the answers to them. */
function Questions({ entry }: { readonly entry: McpEntry | undefined }) {
  if (entry === undefined) return null;
  const lines = [
    ...entry.asks.map((one) => ['asks', one] as const),
    ...entry.answers.map((one) => ['answers', one] as const),
  ];
  if (lines.length === 0) return null;
  return (
    <ul className="ins-mcp-asks">
      {lines.map(([what, one]) => (
        <li key={`${what} ${one.key} ${one.method}`}>
          <span>{what}</span>
          {one.key !== '' && (
            <code>
              <VisibleText text={one.key} />
            </code>
          )}
          {one.method !== null && <VisibleText text={one.method} />}
          {one.text !== null && (
            <q>
              <VisibleText text={one.text} />
            </q>
          )}
        </li>
      ))}
    </ul>
  );
}

const MAX_NOTES = 60;

function Notes({ notes }: { readonly notes: readonly McpEntry[] }) {
  if (notes.length === 0) return null;
  return (
    <ol className="ins-mcp-notes" aria-label={MCP_TEXT.meanwhile}>
      {notes.slice(-MAX_NOTES).map((note) => (
        <li key={note.key}>
          <span className="ins-mcp-notes__time">{formatOffset(note.offset_ns)}</span>
          <Note note={note} />
        </li>
      ))}
    </ol>
  );
}

function Note({ note }: { readonly note: McpEntry }) {
  if (note.type === 'asked') {
    return (
      <span>
        {MCP_TEXT.questionToPerson} <VisibleText text={note.text ?? ''} />
      </span>
    );
  }
  if (note.type === 'answered') {
    return (
      <span>
        {MCP_TEXT.answer(note.state)}{' '}
        <code>
          <VisibleText text={note.text ?? ''} />
        </code>
      </span>
    );
  }
  if (note.progress !== null) {
    const { percent, value, total, message } = note.progress;
    const done = total === null ? `${value ?? ''}` : MCP_TEXT.done(value ?? '?', total);
    return (
      <span className="ins-mcp-notes__progress">
        {MCP_TEXT.progress} {done}
        {percent !== null && (
          <meter min={0} max={100} value={percent} aria-label={MCP_TEXT.progress}>
            {formatShare(percent / 100)}
          </meter>
        )}
        <VisibleText text={message ?? ''} />
      </span>
    );
  }
  return (
    <span>
      {note.method === 'notifications/cancelled'
        ? PARTS_TEXT.cancelled
        : (note.method ?? note.type)}{' '}
      <VisibleText text={note.fault?.message ?? ''} />
    </span>
  );
}
