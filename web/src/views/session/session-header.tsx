/** Header of a session: title, status, totals. */
import { useLayoutEffect, useState } from 'react';
import type { Session, SessionStatus } from '../../api/types.ts';
import { isFlawed } from '../../model/sessions/flawed.ts';
import {
  formatCost,
  formatCount,
  formatDuration,
  groupThousands,
} from '../../model/text/format.ts';
import type { Trace } from '../../state/trace.ts';
import {
  PARTS_TEXT,
  SESSION_TEXT,
  SPAN_TEXT,
  sessionStatus,
  TIME_TEXT,
  tokensInAndOut,
} from '../../texts.ts';

import { useCell, useInspector, useSize } from '../parts/context.ts';
import { ActionIcon, StatusIcon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { useWriter, WriterMark } from '../parts/service-mark.tsx';
import { Duration, NoNews, Waited } from '../parts/session-times.tsx';
import { AboutSession } from './about-session.tsx';
import { LastGoodRun } from './last-good-run.tsx';
import { SessionVerbs } from './session-verbs.tsx';
import { ShareMenu } from './share-menu.tsx';
import './session-header.css';

/** Least time without a run that is shown. */
const LEAST_IDLE_MS = 1000;

interface SessionHeaderProps {
  readonly trace: Trace;
  /** Whether the views show an earlier instant: most numbers have no time of their own. */
  readonly isPast?: boolean;
}

export function SessionHeader({ trace, isPast = false }: SessionHeaderProps) {
  const session = useCell(trace.session);
  const { saved, router } = useInspector();
  const isSaved = saved !== undefined;
  return (
    <header className="ins-session-head">
      {!isSaved && (
        <Link className="ins-icon-button" to={router.lastList} title={PARTS_TEXT.allSessions}>
          <ActionIcon name="back" />
          <span className="ins-hidden">{PARTS_TEXT.allSessions}</span>
        </Link>
      )}
      <h1 title={session?.title}>{session?.title || trace.sessionId}</h1>
      {session !== undefined && (
        <>
          <StatusPill session={session} />
          <Facts session={session} />
          {isPast && <span className="ins-session-head__past">{TIME_TEXT.asItEnded}</span>}
          {!isSaved && <LastGoodRun session={session} />}
          <AboutSession session={session} />
          <ShareMenu trace={trace} session={session} />
          {!isSaved && <SessionVerbs session={session} />}
        </>
      )}
    </header>
  );
}

const LABELS: Readonly<Record<SessionStatus, string>> = {
  waiting: 'waiting',
  paused: 'paused',
  running: 'running',
  lost: 'lost',
  failed: 'failed',
  cancelled: 'cancelled',
  completed: 'completed',
};

function StatusPill({ session }: { readonly session: Session }) {
  return (
    <span
      className={`ins-pillet ins-pillet--${isFlawed(session) ? 'flawed' : session.status}`}
      title={sessionStatus(session.status, session.error_count)}
    >
      <StatusIcon shape={session.status} />
      {LABELS[session.status]}
      {session.status === 'waiting' && session.waiting_since !== null && (
        <>
          {' '}
          <Waited since={session.waiting_since} />
        </>
      )}
      {session.status === 'paused' && session.paused_since !== null && (
        <>
          {' '}
          <Waited since={session.paused_since} />
        </>
      )}
      {session.silent_since !== null && (
        <>
          {' '}
          <NoNews since={session.silent_since} />
        </>
      )}
    </span>
  );
}

/** One line of figures, which scrolls where it has no room. */
function Facts({ session }: { readonly session: Session }) {
  const tokens = session.input_tokens + session.output_tokens;
  const [line, setLine] = useState<HTMLElement | null>(null);
  const { width_px } = useSize(line);
  const [isCut, setCut] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other figures have another width
  useLayoutEffect(
    () => setCut(line !== null && line.scrollWidth > line.clientWidth),
    [line, width_px, session],
  );
  return (
    <dl
      ref={setLine}
      className={`ins-session-head__facts${isCut ? ' ins-session-head__facts--cut' : ''}`}
      aria-label={SESSION_TEXT.figures}
      // Keys scroll it.
      tabIndex={isCut ? 0 : undefined}
    >
      <Writer id={session.id} />
      <Fact name={SESSION_TEXT.duration}>
        <Duration session={session} />
      </Fact>
      {session.waiting_ms > 0 && session.waiting_since === null && (
        <Fact name={SPAN_TEXT.waiting} title={SPAN_TEXT.waitingTitle}>
          {formatDuration(session.waiting_ms * 1e6)}
        </Fact>
      )}
      {session.idle_ms >= LEAST_IDLE_MS && (
        <Fact name={SESSION_TEXT.idle} title={SESSION_TEXT.idleTitle}>
          {formatDuration(session.idle_ms * 1e6)}
        </Fact>
      )}
      <Fact name={session.span_count === 1 ? SESSION_TEXT.span : SESSION_TEXT.spans}>
        {groupThousands(session.span_count)}
      </Fact>
      {session.error_count > 0 && (
        <Fact name={session.error_count === 1 ? PARTS_TEXT.error : PARTS_TEXT.errors} isError>
          {groupThousands(session.error_count)}
        </Fact>
      )}
      {session.llm_calls > 0 && (
        <Fact name={SPAN_TEXT.llmCalls(session.llm_calls)}>
          {groupThousands(session.llm_calls)}
        </Fact>
      )}
      {session.tool_calls > 0 && (
        <Fact name={session.tool_calls === 1 ? SESSION_TEXT.toolCall : SESSION_TEXT.toolCalls}>
          {groupThousands(session.tool_calls)}
        </Fact>
      )}
      {tokens > 0 && (
        <Fact
          name={SESSION_TEXT.tokens}
          title={tokensInAndOut(session.input_tokens, session.output_tokens)}
        >
          {formatCount(tokens)}
        </Fact>
      )}
      {session.cost_usd !== null && (
        <Fact name={SESSION_TEXT.cost}>{formatCost(session.cost_usd)}</Fact>
      )}
      {session.dropped_count > 0 && (
        <Fact name={SESSION_TEXT.dropped} title={SESSION_TEXT.droppedTitle}>
          {groupThousands(session.dropped_count)}
        </Fact>
      )}
    </dl>
  );
}

function Writer({ id }: { readonly id: string }) {
  const name = useWriter(id);
  if (name === undefined) return null;
  return (
    <Fact name={SESSION_TEXT.writer}>
      <WriterMark id={id} />
    </Fact>
  );
}

interface FactProps {
  readonly name: string;
  readonly title?: string;
  readonly isError?: boolean;
  readonly children: React.ReactNode;
}

function Fact({ name, title, isError = false, children }: FactProps) {
  return (
    <div className={isError ? 'ins-session-head__error' : undefined} title={title}>
      <dd>{children}</dd>
      <dt>{name}</dt>
    </div>
  );
}
