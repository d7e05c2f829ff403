/** One session. Its duration counts while it runs. */
import { memo } from 'react';
import type { Session, SessionStatus } from '../../api/types.ts';
import {
  formatCost,
  formatCount,
  formatDuration,
  formatRunning,
  formatStart,
  groupThousands,
} from '../../model/format.ts';
import type { KeyedStore } from '../../state/keyed-store.ts';
import { sessionPath } from '../../state/route.ts';
import { useInspector, useNow, useRow } from '../context.ts';
import { StatusIcon } from '../icons.tsx';
import { Link } from '../link.tsx';
import { RowAnswer } from './row-answer.tsx';

interface SessionRowProps {
  readonly rows: KeyedStore<Session>;
  readonly id: string;
  readonly top_px: number;
  /** Whether what it waits for is open, below the row. */
  readonly isAnswering: boolean;
  readonly onAnswering: (id: string | undefined) => void;
}

const NONE: readonly string[] = [];

const STATUS_NAMES: Readonly<Record<SessionStatus, string>> = {
  waiting: 'waiting for a person',
  paused: 'paused',
  running: 'running',
  lost: 'lost: nothing was heard of it',
  failed: 'failed',
  cancelled: 'cancelled',
  completed: 'completed',
};

export const SessionRow = memo(function SessionRow(props: SessionRowProps) {
  const { rows, id, top_px, isAnswering, onAnswering } = props;
  const session = useRow(rows, id);
  const waiting = useRow(useInspector().requests.ofSession, id) ?? (isAnswering ? NONE : undefined);
  if (session === undefined) return null;
  const agents = session.agents.length > 0 ? session.agents : session.services;
  const tokens = session.input_tokens + session.output_tokens;
  return (
    <li
      className={`ins-list__row ins-list__row--${session.status}${isAnswering ? ' ins-list__row--answering' : ''}`}
      style={{ transform: `translateY(${top_px}px)` }}
      data-top={top_px}
      data-session={id}
    >
      <span className="ins-list__status" title={STATUS_NAMES[session.status]}>
        <StatusIcon shape={session.status} />
        {session.error_count > 0 && (
          <span className="ins-list__errors" title={`${session.error_count} errors`}>
            {formatCount(session.error_count)}
          </span>
        )}
      </span>
      <span className="ins-list__main">
        <Link className="ins-list__title" to={sessionPath(id)} title={session.title}>
          {session.title || id}
          <span className="ins-hidden">, {STATUS_NAMES[session.status]}</span>
        </Link>
        <Standing session={session} />
        {waiting !== undefined && (
          <RowAnswer id={id} waiting={waiting} isOpen={isAnswering} onAnswering={onAnswering} />
        )}
      </span>
      <span className="ins-list__agents" title={agents.join(', ')}>
        {agents.join(', ')}
      </span>
      <span className="ins-list__models" title={session.models.join(', ')}>
        {session.models.join(', ')}
      </span>
      <Started session={session} />
      <span className="ins-list__number ins-list__duration">
        <Duration session={session} />
      </span>
      <span className="ins-list__number ins-list__spans" title={`${session.span_count} spans`}>
        {groupThousands(session.span_count)}
      </span>
      <span
        className="ins-list__number ins-list__tokens"
        title={`${groupThousands(session.input_tokens)} in, ${groupThousands(session.output_tokens)} out`}
      >
        {tokens > 0 ? formatCount(tokens) : '–'}
      </span>
      <span
        className={`ins-list__number ins-list__cost${session.cost_usd === null ? ' ins-list__cost--none' : ''}`}
      >
        {session.cost_usd === null ? '–' : formatCost(session.cost_usd)}
      </span>
    </li>
  );
});

/** Since when it waits; that it is paused. */
function Standing({ session }: { readonly session: Session }) {
  if (session.status === 'paused') {
    return (
      <span className="ins-list__standing">
        paused {session.paused_since !== null && <Waited since={session.paused_since} />}
      </span>
    );
  }
  if (session.status !== 'waiting' || session.waiting_since === null) return null;
  return (
    <span className="ins-list__standing">
      waits <Waited since={session.waiting_since} />
    </span>
  );
}

/** Counts by the service's clock. */
export function Waited({ since }: { readonly since: string }) {
  const { clock } = useInspector();
  useNow(1000);
  return formatRunning((clock.now_ms() - Date.parse(since)) * 1e6);
}

function Started({ session }: { readonly session: Session }) {
  const now_ms = useNow(60_000);
  return (
    <time className="ins-list__number ins-list__started" dateTime={session.started_at}>
      {formatStart(session.started_at, now_ms)}
    </time>
  );
}

/** Counts by the service's clock. */
export function Duration({ session }: { readonly session: Session }) {
  const { clock } = useInspector();
  useNow(session.duration_ms === null ? 1000 : undefined);
  if (session.duration_ms !== null) return formatDuration(session.duration_ms * 1e6);
  return formatRunning(clock.nowOffset_ns(session.epoch_ns));
}
