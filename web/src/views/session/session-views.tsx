/** Views of a session, in the order of their tabs and of their keys, `1` first. */
import { type ComponentType, type KeyboardEvent, useEffect, useMemo, useRef } from 'react';
import type { Session } from '../../api/types.ts';
import type { Trace } from '../../state/trace.ts';
import { useActions } from '../parts/actions.ts';
import { useCell, useInspector, useRoute } from '../parts/context.ts';
import { Guarded } from '../parts/guarded.tsx';
import { lazyPart } from '../parts/lazy-part.ts';
import type { SessionViewProps } from '../parts/session-view.ts';
import { ViewScrubber } from './scrubber.tsx';
import { useTravel } from './use-time-travel.ts';
import { Waterfall } from './waterfall.tsx';
import './session-views.css';
import { SESSION_ACTIONS, SESSION_TEXT, VIEW_NAMES } from '../../texts.ts';

export interface SessionView {
  /** Id in the address: `?view=waterfall`. */
  readonly id: string;
  readonly name: string;
  /** A lazy part, but for the first view, so that the page loads quickly. */
  readonly View: ComponentType<SessionViewProps>;
  /** Whether a session opens in this view by default; the first match wins. */
  readonly isFor?: (session: Session) => boolean;
  /** Whether there is anything to see in it; without a tab it is still reached by its address. */
  readonly hasContent?: (session: Session) => boolean;
}

/** Whether an agent, a model or a tool acts in it: who talks to whom is the rest of its story. */
function hasActors({ agents, llm_calls, tool_calls }: Session): boolean {
  return agents.length + llm_calls + tool_calls > 0;
}

const SESSION_VIEWS: readonly SessionView[] = [
  { id: 'waterfall', name: VIEW_NAMES.waterfall, View: Waterfall },
  {
    id: 'transcript',
    name: VIEW_NAMES.transcript,
    View: lazyPart(async () => (await import('../transcript/transcript-view.tsx')).TranscriptView),
    isFor: ({ llm_calls }) => llm_calls > 0,
    hasContent: (session) => session.has_mcp || hasActors(session),
  },
  {
    id: 'mcp',
    name: VIEW_NAMES.mcp,
    View: lazyPart(async () => (await import('../mcp/mcp-view.tsx')).McpView),
    hasContent: ({ has_mcp }) => has_mcp,
  },
  {
    id: 'graph',
    name: VIEW_NAMES.graph,
    View: lazyPart(async () => (await import('../graph/graph-view.tsx')).GraphView),
    hasContent: hasActors,
  },
  {
    id: 'statistics',
    name: VIEW_NAMES.statistics,
    View: lazyPart(async () => (await import('../statistics/statistics-view.tsx')).StatisticsView),
  },
];

/** The view in the address, else the default for this session, else the first. */
export function useSessionView(trace: Trace): SessionView | undefined {
  const wanted = useRoute().query.get('view');
  const session = useCell(trace.session);
  const named = SESSION_VIEWS.find(({ id }) => id === wanted);
  const { router } = useInspector();
  const isUnknown = wanted !== null && named === undefined;
  useEffect(() => {
    if (isUnknown) router.adjust({ view: undefined });
  }, [router, isUnknown]);
  if (named !== undefined) return named;
  if (session === undefined) return undefined;
  return SESSION_VIEWS.find(({ isFor }) => isFor?.(session)) ?? SESSION_VIEWS[0];
}

interface SessionTabsProps {
  readonly view: SessionView | undefined;
  /** Undefined until it is loaded. */
  readonly session: Session | undefined;
}

export function SessionTabs({ view, session }: SessionTabsProps) {
  const { router } = useInspector();
  const hasTab = ({ id, hasContent }: SessionView) =>
    id === view?.id || (session !== undefined && (hasContent?.(session) ?? true));
  const ids = SESSION_VIEWS.filter(hasTab)
    .map(({ id }) => id)
    .join(' ');
  const actions = useMemo(
    () =>
      // The key of a view is the same in every session.
      SESSION_VIEWS.map(({ id, name }, at) => ({
        name: SESSION_ACTIONS.view(name),
        keys: [String(at + 1)],
        run: () => router.adjust({ view: id }),
      })).filter((_, at) => ids.split(' ').includes(SESSION_VIEWS[at]?.id ?? '')),
    [router, ids],
  );
  useActions('Session', actions);
  const tabs = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const list = tabs.current;
    if (list === null || view === undefined) return;
    // Where the tabs are wider than their place, the chosen one may be beyond its edge.
    const show = () =>
      list
        .querySelector(`[data-view="${view.id}"]`)
        ?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
    const resized = new ResizeObserver(show);
    resized.observe(list);
    return () => resized.disconnect();
  }, [view]);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const shown = ids.split(' ');
    const next = shown[(shown.indexOf(view?.id ?? '') + step + shown.length) % shown.length];
    if (step === 0 || next === undefined) return;
    event.preventDefault();
    router.adjust({ view: next });
    event.currentTarget.querySelector<HTMLElement>(`[data-view="${next}"]`)?.focus();
  };
  return (
    <div
      ref={tabs}
      className="ins-tabs ins-views"
      role="tablist"
      aria-label={SESSION_TEXT.views}
      onKeyDown={onKeyDown}
    >
      {SESSION_VIEWS.map(
        (one, at) =>
          hasTab(one) && (
            <button
              key={one.id}
              type="button"
              role="tab"
              data-view={one.id}
              title={`${one.name} (${at + 1})`}
              aria-selected={one.id === view?.id}
              tabIndex={one.id === view?.id ? 0 : -1}
              onClick={() => router.adjust({ view: one.id })}
            >
              {one.name}
            </button>
          ),
      )}
    </div>
  );
}

export function CurrentView({
  view,
  ...props
}: SessionViewProps & { readonly view: SessionView | undefined }) {
  const travel = useTravel();
  if (view === undefined) return null;
  // The waterfall has it below its minimap.
  const hasScrubber = travel !== undefined && view.View !== Waterfall;
  return (
    <div
      key={view.id}
      className={`ins-session-view${hasScrubber ? ' ins-session-view--scrub' : ''}`}
      role="tabpanel"
      aria-label={view.name}
    >
      {hasScrubber && <ViewScrubber travel={travel} />}
      <Guarded name={view.name} loading={null}>
        <view.View {...props} />
      </Guarded>
    </div>
  );
}
