/**
 * One line of the log: a request with its response, a notification, or a change of a connection.
 */
import { memo } from 'react';
import type { McpCall } from '../../model/mcp/mcp-calls.ts';
import {
  formatDuration,
  formatOffset,
  formatRunning,
  formatShare,
  plural,
} from '../../model/text/format.ts';
import { plainLine } from '../../model/text/hidden-characters.ts';
import type { Trace } from '../../state/trace.ts';
import { MCP_TEXT } from '../../texts.ts';
import { useTraceNow } from '../parts/context.ts';
import { ActionIcon, StatusIcon } from '../parts/icons.tsx';
import { VisibleText } from '../parts/visible-text.tsx';
import { ServerName, sizeText } from './mcp-servers.tsx';
import { stateText } from './mcp-words.ts';

interface McpRowProps {
  readonly call: McpCall;
  readonly depth: number;
  readonly trace: Trace;
  readonly isOpen: boolean;
  readonly isSelected: boolean;
  readonly isWaiting: boolean;
  /** Whether the row has the focus, or would take it. */
  readonly isCurrent: boolean;
  readonly hasServer: boolean;
  readonly onToggle: (key: string) => void;
  readonly onOpen: (spanKey: string) => void;
}

export const McpRow = memo(function McpRow(props: McpRowProps) {
  const { call, isOpen, isCurrent, onToggle, onOpen } = props;
  const isMessage = call.kind === 'call' || call.kind === 'notification';
  const classes = ['ins-mcp-row', `ins-mcp-row--${call.kind}`, `ins-mcp-row--${call.state}`];
  if (props.isSelected) classes.push('ins-mcp-row--selected');
  if (props.isWaiting) classes.push('ins-mcp-row--asked');
  return (
    <button
      data-row={call.key}
      data-focus=""
      type="button"
      className={classes.join(' ')}
      aria-expanded={isOpen}
      tabIndex={isCurrent ? 0 : -1}
      onClick={() => onToggle(call.key)}
      onKeyDown={(event) => {
        // A click folds; Enter opens the span, where there is one.
        if (event.key !== 'Enter' || call.spanKey === undefined) return;
        event.preventDefault();
        onOpen(call.spanKey);
      }}
    >
      <span className="ins-mcp-row__time">{formatOffset(call.offset_ns)}</span>
      <span className={`ins-mcp-row__caret${isOpen ? ' ins-mcp-row__caret--open' : ''}`}>
        <ActionIcon name="caret" />
      </span>
      <span
        className="ins-mcp-row__what"
        style={{ paddingLeft: Math.max(0, props.depth - 1) * 18 }}
      >
        <Arrow direction={call.direction} />
        <span className="ins-hidden">{directionText(call.direction)} </span>
        <span className="ins-mcp-row__method" title={plainLine(call.method)}>
          <VisibleText text={call.method || MCP_TEXT.message} />
        </span>
        {call.target !== undefined && (
          <span className="ins-mcp-row__target" title={plainLine(call.target)}>
            <VisibleText text={call.target} />
          </span>
        )}
        <Rest call={call} />
      </span>
      {props.hasServer && (
        <span className="ins-mcp-row__server">
          {(isMessage || call.server !== '') && <ServerName name={call.server} />}
        </span>
      )}
      <span className="ins-mcp-row__id">{idsOf(call)}</span>
      <span className="ins-mcp-row__size">{isMessage && sizeOf(call)}</span>
      <span className="ins-mcp-row__took">
        {call.state === 'pending' ? (
          <Counting from_ns={call.offset_ns} trace={props.trace} />
        ) : (
          call.took_ns !== undefined && formatDuration(call.took_ns)
        )}
      </span>
    </button>
  );
});

const MAX_SHOWN_CHARS = 200;

/** Facts that are shown without opening the line. */
function Rest({ call }: { readonly call: McpCall }) {
  const state = call.kind === 'transport' ? '' : stateText(call);
  const progress = call.notes.findLast((note) => note.progress !== null)?.progress;
  const text =
    call.kind === 'stderr' || call.kind === 'transport'
      ? call.rounds[0]?.request?.text
      : call.fault?.message;
  return (
    <>
      {call.rounds.length > 1 && (
        <span className="ins-mcp-row__mark">{plural(call.rounds.length, 'round')}</span>
      )}
      {progress != null && call.state === 'pending' && (
        <span className="ins-mcp-row__mark">
          {progress.percent === null ? MCP_TEXT.progress : formatShare(progress.percent / 100)}{' '}
          <VisibleText text={progress.message ?? ''} />
        </span>
      )}
      {call.notes.some((note) => note.type === 'asked') && (
        <span className="ins-mcp-row__mark">{MCP_TEXT.requestToPerson}</span>
      )}
      {state !== '' && (
        <span className={`ins-mcp-row__state ins-mcp-row__state--${call.state}`}>
          <StatusIcon shape={SHAPES[call.state]} />
          {state}
        </span>
      )}
      {text != null && text !== '' && text !== state && (
        <span className="ins-mcp-row__said" title={plainLine(text, MAX_SHOWN_CHARS)}>
          <VisibleText text={text.slice(0, MAX_SHOWN_CHARS)} />
        </span>
      )}
    </>
  );
}

const SHAPES = {
  pending: 'running',
  ok: 'completed',
  input: 'waiting',
  error: 'failed',
  cancelled: 'cancelled',
  unanswered: 'lost',
} as const;

function Counting({ from_ns, trace }: { readonly from_ns: number; readonly trace: Trace }) {
  const now_ns = useTraceNow(trace, 1000);
  if (trace.epoch_ns.get() === undefined) return null;
  return <>{formatRunning(now_ns - from_ns)}</>;
}

function idsOf(call: McpCall): string {
  const ids = call.rounds.flatMap(({ request, response }) => {
    const id = (request ?? response)?.rpc_id;
    return id == null ? [] : [`#${id.slice(0, 24)}`];
  });
  return ids.length > 2 ? `${ids[0]} … ${ids.at(-1)}` : ids.join(' ');
}

/** Size of the response, else of the request. */
function sizeOf(call: McpCall): string {
  const last = call.rounds.at(-1);
  return sizeText(last?.response?.size_bytes ?? last?.request?.size_bytes);
}

interface ArrowProps {
  readonly direction: 'to_server' | 'to_client' | undefined;
}

export function Arrow({ direction }: ArrowProps) {
  return (
    <svg
      className={`ins-mcp-arrow ins-mcp-arrow--${direction ?? 'none'}`}
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {direction === 'to_server' && <path d="M2 8h12M10 4l4 4-4 4" />}
      {direction === 'to_client' && <path d="M14 8H2M6 4 2 8l4 4" />}
      {direction === undefined && <path d="M8 6.5v3" />}
    </svg>
  );
}

export function directionText(direction: ArrowProps['direction']): string {
  if (direction === 'to_server') return MCP_TEXT.toServer;
  if (direction === 'to_client') return MCP_TEXT.toClient;
  return '';
}
