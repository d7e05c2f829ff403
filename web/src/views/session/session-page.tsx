/** `/ui/sessions/{id}`: one session with its views, and the selected span. */
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { spanKey } from '../../model/trace/span-key.ts';
import { opensAtCause } from '../../model/trace/span-status.ts';
import { passing } from '../../state/passing.ts';
import { CAUSE, sessionPath } from '../../state/route.ts';
import type { LoadState } from '../../state/sessions.ts';
import type { Trace } from '../../state/trace.ts';
import { CodedText } from '../parts/coded-text.tsx';
import { useCell, useInspector, useRoute, useRow, useTitle } from '../parts/context.ts';
import { Link } from '../parts/link.tsx';
import { useMoreTries } from '../parts/more-tries.ts';
import { WaitsElsewhere } from '../parts/requests/span-requests.tsx';
import { Split } from '../parts/split.tsx';
import { useWaiting } from '../parts/waiting.ts';
import { SpanPanel } from '../span/span-panel.tsx';
import { NowStrip } from './now-strip.tsx';
import { useSessionActions } from './session-actions.ts';
import { SessionHeader } from './session-header.tsx';
import { SessionTools } from './session-tools.tsx';
import { CurrentView, SessionTabs, useSessionView } from './session-views.tsx';
import './session-page.css';
import { PARTS_TEXT, SESSION_TEXT, SHELL_TEXT } from '../../texts.ts';
import { TravelContext, useTimeTravel } from './use-time-travel.ts';
import { WaitingStrip } from './waiting-strip.tsx';

export function SessionPage({ trace }: { readonly trace: Trace }) {
  const { router, requests } = useInspector();
  const state = useCell(trace.state);
  const session = useCell(trace.session);
  const moved = useCell(trace.moved);
  const { query } = useRoute();
  const named = query.get('span') ?? undefined;
  const selected = named === CAUSE ? undefined : named;
  const [found, setFound] = useState<string>();
  const select = useCallback(
    (key: string | undefined) => {
      setFound(undefined);
      router.adjust({ span: key });
    },
    [router],
  );
  const find = useCallback(
    (key: string) => {
      setFound(key);
      router.adjust({ span: key });
    },
    [router],
  );
  useTitle(session?.title || trace.sessionId);
  useEffect(() => {
    if (moved?.to != null) router.replace(sessionPath(moved.to));
  }, [moved, router]);
  const view = useSessionView(trace);
  const travel = useTimeTravel(trace);
  const shown = useCell(travel.shown);
  const isElsewhere = named !== undefined || query.has('at');
  useFirstCause(trace, isElsewhere, view?.id === 'waterfall', find);
  useNamedCause(trace, named === CAUSE, select);
  const waiting = useWaiting(trace);
  const waitingThen = useWaiting(shown);
  const hasRequest = useRow(requests.ofSession, trace.sessionId) !== undefined;
  useSessionActions(shown, selected, waitingThen, select);
  useAnotherTry(trace);

  if (moved?.to === null) {
    return (
      <Gone>
        <div role="alert">
          <h1>{SESSION_TEXT.deleted}</h1>
        </div>
      </Gone>
    );
  }
  const unread = state.kind === 'failed' && trace.spans.size === 0 ? state : undefined;
  if (unread !== undefined && (session === undefined || unread.status === NOT_FOUND)) {
    return (
      <Gone>
        <Unread state={unread} trace={trace} />
      </Gone>
    );
  }
  return (
    <main className="ins-session">
      <div>
        <SessionHeader trace={trace} isPast={shown !== trace} />
        <div className="ins-session-bar">
          <SessionTabs view={view} session={session} />
          <SessionTools trace={shown} selected={selected} waiting={waitingThen} onSelect={select} />
        </div>
        <NowStrip trace={trace} waiting={waiting} onSelect={select} />
        <WaitingStrip sessionId={trace.sessionId} />
        <WaitsElsewhere isWaiting={session?.status === 'waiting'} hasRequest={hasRequest} />
      </div>
      <Split
        main={
          unread !== undefined ? (
            <div className="ins-session__gone">
              <Unread state={unread} trace={trace} isBelow />
            </div>
          ) : (
            <TravelContext value={travel}>
              <CurrentView view={view} trace={shown} selected={selected} onSelect={select} />
            </TravelContext>
          )
        }
        side={
          selected !== undefined &&
          unread === undefined && (
            <SpanPanel trace={shown} selected={selected} onClose={() => select(undefined)} />
          )
        }
        isPeeking={selected !== undefined && selected === found}
        onOpen={() => setFound(undefined)}
      />
    </main>
  );
}

/** Select the first cause of a failed session, unless the address names a span or an instant. */
function useFirstCause(
  trace: Trace,
  isElsewhere: boolean,
  isWaterfall: boolean,
  select: (key: string) => void,
): void {
  const state = useCell(trace.state);
  const isDone = useRef(isElsewhere);
  useEffect(() => {
    if (state.kind !== 'ready' || isDone.current) return;
    isDone.current = true;
    const status = trace.session.get()?.status;
    if (status === undefined || !opensAtCause(status, isWaterfall)) return;
    const cause = trace.firstCause();
    if (cause !== undefined) select(spanKey(cause));
  }, [state, trace, isWaterfall, select]);
}

/** Select the cause that the address asks for, whatever came of the session. */
function useNamedCause(
  trace: Trace,
  isNamed: boolean,
  select: (key: string | undefined) => void,
): void {
  const state = useCell(trace.state);
  useEffect(() => {
    if (state.kind !== 'ready' || !isNamed) return;
    const cause = trace.firstCause();
    select(cause && spanKey(cause));
  }, [state, trace, isNamed, select]);
}

const NOT_FOUND = 404;

/** Read what could not be read once the service is back, or what it reads from. */
function useAnotherTry(trace: Trace): void {
  useMoreTries(passing(useCell(trace.state)), () => trace.retry());
  const connection = useCell(useInspector().feed.status).kind;
  useEffect(() => {
    const state = trace.state.get();
    if (connection !== 'live' || state.kind !== 'failed' || state.status === NOT_FOUND) return;
    void trace.load();
  }, [connection, trace]);
}

function Gone({ children }: { readonly children: ReactNode }) {
  return (
    <main className="ins-session__gone">
      {children}
      <Link to="">{PARTS_TEXT.allSessions}</Link>
    </main>
  );
}

interface UnreadProps {
  readonly state: LoadState & { readonly kind: 'failed' };
  readonly trace: Trace;
  /** Whether it is in the place of the views, below the title of the session. */
  readonly isBelow?: boolean;
}

/** Why nothing is shown of a session, and another try of what may work. */
function Unread({ state, trace, isBelow = false }: UnreadProps) {
  const isReading = useCell(trace.isReading);
  const text = state.status === 0 ? SHELL_TEXT.unreachable : state.message;
  const Heading = isBelow ? 'h2' : 'h1';
  return (
    <>
      <div role="alert">
        <Heading>
          <CodedText text={text} />
        </Heading>
      </div>
      {state.status !== NOT_FOUND && (
        <p>
          <button
            type="button"
            className="ins-link"
            aria-disabled={isReading}
            onClick={() => trace.retry()}
          >
            {isReading ? SHELL_TEXT.loading : SHELL_TEXT.retry}
          </button>
        </p>
      )}
    </>
  );
}
