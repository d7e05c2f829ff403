/** `/ui/sessions/{id}`: one session with its views, and the selected span. */
import { useEffect, useMemo, useRef } from 'react';
import { spanKey } from '../../model/trace/span-key.ts';
import { opensAtCause } from '../../model/trace/span-status.ts';
import { sessionPath } from '../../state/route.ts';
import type { Trace } from '../../state/trace.ts';
import { useCell, useInspector, useRoute, useRow, useTitle } from '../parts/context.ts';
import { Link } from '../parts/link.tsx';
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
import { WaitingStrip } from './waiting-strip.tsx';

export function SessionPage({ trace }: { readonly trace: Trace }) {
  const { router, requests } = useInspector();
  const state = useCell(trace.state);
  const session = useCell(trace.session);
  const moved = useCell(trace.moved);
  const selected = useRoute().query.get('span') ?? undefined;
  const select = useMemo(() => (key: string | undefined) => router.adjust({ span: key }), [router]);
  useTitle(session?.title || trace.sessionId);
  useEffect(() => {
    if (moved?.to != null) router.replace(sessionPath(moved.to));
  }, [moved, router]);
  const view = useSessionView(trace);
  useFirstCause(trace, selected, view?.id === 'waterfall', select);
  const waiting = useWaiting(trace);
  const hasRequest = useRow(requests.ofSession, trace.sessionId) !== undefined;
  useSessionActions(trace, selected, waiting, select);

  if (moved?.to === null) return <Gone text="This session was deleted." />;
  if (state.kind === 'failed' && trace.spans.size === 0) return <Gone text={state.message} />;
  return (
    <main className="ins-session">
      <div>
        <SessionHeader trace={trace} />
        <div className="ins-session-bar">
          <SessionTabs view={view} session={session} />
          <SessionTools trace={trace} selected={selected} waiting={waiting} onSelect={select} />
        </div>
        <NowStrip trace={trace} waiting={waiting} onSelect={select} />
        <WaitingStrip sessionId={trace.sessionId} />
        <WaitsElsewhere isWaiting={session?.status === 'waiting'} hasRequest={hasRequest} />
      </div>
      <Split
        main={<CurrentView view={view} trace={trace} selected={selected} onSelect={select} />}
        side={
          selected !== undefined && (
            <SpanPanel trace={trace} selected={selected} onClose={() => select(undefined)} />
          )
        }
      />
    </main>
  );
}

/** Select the first cause of a failed session, unless the address names a span. */
function useFirstCause(
  trace: Trace,
  selected: string | undefined,
  isWaterfall: boolean,
  select: (key: string) => void,
): void {
  const state = useCell(trace.state);
  const isDone = useRef(selected !== undefined);
  useEffect(() => {
    if (state.kind !== 'ready' || isDone.current) return;
    isDone.current = true;
    const status = trace.session.get()?.status;
    if (status === undefined || !opensAtCause(status, isWaterfall)) return;
    const cause = trace.tally.firstCause();
    if (cause !== undefined) select(spanKey(cause));
  }, [state, trace, isWaterfall, select]);
}

function Gone({ text }: { readonly text: string }) {
  return (
    <main className="ins-session__gone">
      <h1 role="alert">{text}</h1>
      <Link to="">All sessions</Link>
    </main>
  );
}
