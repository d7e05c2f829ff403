/** Tabs of a span. */

import { type KeyboardEvent, useMemo, useState } from 'react';
import type { SpanDetail, SpanRow } from '../../api/types.ts';
import { formatBytes } from '../../model/text/format.ts';
import { Cuts } from '../../model/trace/cuts.ts';
import { detailAt } from '../../model/trace/detail-at.ts';
import { duplicatesOf } from '../../model/trace/span-family.ts';
import { keyInSession, spanKey } from '../../model/trace/span-key.ts';
import type { LoadedSpan } from '../../state/span-details.ts';
import type { Trace } from '../../state/trace.ts';
import {
  PARTS_TEXT,
  SAVED_TEXT,
  SPAN_ACTIONS,
  SPAN_TABS,
  SPAN_TEXT,
  TIME_TEXT,
} from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { CodedText } from '../parts/coded-text.tsx';
import { useCell, useInspector, useRoute, useRow } from '../parts/context.ts';
import { copyText } from '../parts/copy-button.tsx';
import { SpanRequests, WaitsElsewhere } from '../parts/requests/span-requests.tsx';
import { SoFar } from '../parts/so-far.tsx';
import { ShownSpanContext, useShownSpan } from '../parts/values/shown-span.ts';
import { ValueView } from '../parts/values/value-view.tsx';
import { useWaiting } from '../parts/waiting.ts';
import {
  isVisualiserTab,
  VisualisedSpan,
  type VisualiserTab,
  visualiserTabs,
} from '../visualisers/span-tabs.tsx';
import { Attributes } from './attributes.tsx';
import { Conversation, conversationText } from './conversation.tsx';
import { CopyAs, type SpanCopies, useSpanCopies } from './copy-as.tsx';
import { Decisions } from './decisions.tsx';
import { Events } from './events.tsx';
import { hasInputOutput } from './input-output.tsx';
import { Links } from './links.tsx';
import { Overview } from './overview.tsx';
import type { SpanLoad } from './span-load.ts';
import { StateView } from './state-view.tsx';

const TABS = [
  ['overview', SPAN_TABS.overview, 'o'],
  ['messages', SPAN_TABS.messages, 'm'],
  ['decisions', SPAN_TABS.decisions, 'd'],
  ['state', SPAN_TABS.state, 's'],
  ['events', SPAN_TABS.events, 'e'],
  ['links', SPAN_TABS.links, 'l'],
  ['attributes', SPAN_TABS.attributes, 'a'],
  ['raw', SPAN_TABS.raw, 'r'],
] as const;

type OwnTab = (typeof TABS)[number][0];
type Tab = OwnTab | VisualiserTab;

interface SpanBodyProps {
  readonly trace: Trace;
  readonly row: SpanRow;
  readonly load: SpanLoad;
  readonly onSelect: (key: string) => void;
}

export function SpanBody({ trace, row, load, onSelect }: SpanBodyProps) {
  const { router, requests } = useInspector();
  const wanted = useRoute().query.get('tab');
  const [isRaw, setRaw] = useState(false);
  const at_ns = useCell(trace.at_ns);
  const whole = load.loaded;
  const isThen = at_ns !== undefined && row.status === 'running';
  const loaded = useMemo(
    () =>
      whole === undefined || !isThen ? whole : { ...whole, detail: detailAt(whole.detail, at_ns) },
    [whole, isThen, at_ns],
  );
  const counts = useMemo(
    () =>
      loaded === undefined || whole === undefined
        ? undefined
        : {
            ...countsOf(loaded.detail, trace, row),
            // They read the answer as it came, and the service: all of it, or nothing.
            ...(isThen && { raw: 0, state: statesThen(whole, loaded) }),
          },
    [whole, loaded, trace, row, isThen],
  );
  const tabs = useMemo((): readonly (readonly [Tab, string, string?])[] => {
    if (counts === undefined || loaded === undefined) {
      return TABS.filter(([tab]) => tab === 'overview');
    }
    return [...TABS.filter(([tab]) => counts[tab] > 0), ...visualiserTabs(loaded.detail)];
  }, [counts, loaded]);
  const shown = tabs.map(([tab]) => tab);
  const countOf = (name: Tab) => (isCounted(name) ? counts?.[name] : undefined);
  const hasRequest =
    useRow(requests.ofSpan, keyInSession(trace.sessionId, spanKey(row))) !== undefined;
  const isWaiting = useWaiting(trace).has(spanKey(row));
  const tab = shown.find((name) => name === wanted) ?? preferredTab(row, loaded, shown);
  const { trace_id, span_id } = row;
  const id = useMemo(
    () => ({ session_id: trace.sessionId, trace_id, span_id }),
    [trace, trace_id, span_id],
  );
  const context = useMemo(
    () => whole && { id, cuts: new Cuts(whole.detail), isRaw },
    [whole, id, isRaw],
  );
  const copies = useSpanCopies(id);
  useTabActions({ shown, tab, loaded, copies, onRaw: setRaw });
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const next = step === 0 ? undefined : beside(shown, tab, step);
    if (next === undefined) return;
    event.preventDefault();
    router.adjust({ tab: next });
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next}"]`)?.focus();
  };
  return (
    <>
      <div
        className="ins-tabs"
        role="tablist"
        aria-label={SPAN_TEXT.spanTabs}
        onKeyDown={onKeyDown}
      >
        {tabs.map(([name, label, key]) => (
          <button
            key={name}
            type="button"
            role="tab"
            data-tab={name}
            title={key === undefined ? label : `${label} (P ${key.toUpperCase()})`}
            aria-selected={name === tab}
            tabIndex={name === tab ? 0 : -1}
            onClick={() => router.adjust({ tab: name })}
          >
            {label}
            {countOf(name) !== undefined && (
              <>
                {' '}
                <span className="ins-tabs__count">{countOf(name)}</span>
              </>
            )}
          </button>
        ))}
      </div>
      <div key={tab} className="ins-panel__body" role="tabpanel" aria-label={tab} tabIndex={-1}>
        <SpanRequests sessionId={trace.sessionId} spanKey={spanKey(row)} />
        <WaitsElsewhere isWaiting={isWaiting} hasRequest={hasRequest} />
        {isThen && <p className="ins-none">{TIME_TEXT.runs}</p>}
        {load.problem !== undefined && (
          <p className="ins-panel__problem" role="alert">
            {load.problem}
          </p>
        )}
        {loaded === undefined || context === undefined ? (
          load.problem === undefined && <Skeleton />
        ) : (
          <ShownSpanContext value={context}>
            {(tab === 'messages' || (tab === 'overview' && hasInputOutput(loaded.detail))) && (
              <button
                type="button"
                className="ins-panel__mode"
                aria-pressed={isRaw}
                title={SPAN_TEXT.rawTitle}
                onClick={() => setRaw(!isRaw)}
              >
                {isRaw ? SPAN_TEXT.formatted : SPAN_TEXT.raw}
              </button>
            )}
            <TabBody {...{ tab, row, trace, loaded, whole, isRaw, isThen, onSelect }} />
          </ShownSpanContext>
        )}
      </div>
    </>
  );
}

/** Tabs with a number beside their name. */
const COUNTED = ['messages', 'decisions', 'state', 'events', 'links'] as const;

function isCounted(tab: Tab): tab is (typeof COUNTED)[number] {
  return COUNTED.some((counted) => counted === tab);
}

/** Number of items in each tab; 0 hides it. */
function countsOf(
  detail: SpanDetail,
  trace: Trace,
  row: SpanRow,
): Readonly<Record<OwnTab, number>> {
  const { view } = detail;
  return {
    overview: 1,
    messages: view.messages.length || Math.min(view.llm?.tools_offered.length ?? 0, 1),
    decisions: view.decisions.length,
    state: view.state.length,
    events: detail.events.length,
    links: detail.links.length + duplicatesOf(trace.spans, row).length,
    attributes:
      Object.keys(detail.attributes).length + Object.keys(detail.resource.attributes).length,
    raw: 1,
  };
}

/** Number of states; none if some are of later: the view of states shows the last one. */
function statesThen({ detail: whole }: LoadedSpan, { detail }: LoadedSpan): number {
  const { length } = detail.view.state;
  return length === whole.view.state.length ? length : 0;
}

/** Tab that a span opens with: a visualiser's, if there is nothing to read. */
function preferredTab(row: SpanRow, loaded: LoadedSpan | undefined, shown: readonly Tab[]): Tab {
  const isRead = row.status === 'error' || loaded === undefined || hasInputOutput(loaded.detail);
  return (isRead ? undefined : shown.find(isVisualiserTab)) ?? 'overview';
}

function beside(shown: readonly Tab[], tab: Tab, step: 1 | -1): Tab | undefined {
  return shown[(shown.indexOf(tab) + step + shown.length) % shown.length];
}

interface TabActions {
  readonly shown: readonly Tab[];
  readonly tab: Tab;
  readonly loaded: LoadedSpan | undefined;
  readonly copies: SpanCopies;
  readonly onRaw: (change: (isRaw: boolean) => boolean) => void;
}

function useTabActions({ shown, tab, loaded, copies, onRaw }: TabActions): void {
  const { router } = useInspector();
  const names = shown.join(' ');
  const actions = useMemo(() => {
    const here = names.split(' ') as Tab[];
    const open = (next: Tab | undefined) => router.adjust({ tab: next });
    const copy = (text: string | Promise<string>) => {
      Promise.resolve(text)
        .then(copyText)
        .catch(() => {});
    };
    return [
      ...TABS.filter(([name]) => here.includes(name)).map(([name, label, key]) => ({
        name: SPAN_ACTIONS.tab(label),
        keys: [`p ${key}`],
        run: () => open(name),
      })),
      { name: SPAN_ACTIONS.nextTab, keys: ['}'], run: () => open(beside(here, tab, 1)) },
      { name: SPAN_ACTIONS.previousTab, keys: ['{'], run: () => open(beside(here, tab, -1)) },
      { name: SPAN_TEXT.rawOrFormatted, keys: ['r'], run: () => onRaw((isRaw) => !isRaw) },
      {
        name: SPAN_ACTIONS.copyTab,
        keys: ['c'],
        run: () => copy(textOf(tab, loaded) ?? copies.json()),
      },
      { name: SPAN_ACTIONS.copyJson, run: () => copy(copies.json()) },
      { name: SPAN_ACTIONS.copyCurl, run: () => copy(copies.curl()) },
      { name: SPAN_ACTIONS.copyPython, run: () => copy(copies.python()) },
    ];
  }, [names, tab, loaded, copies, router, onRaw]);
  useActions('Span', actions);
}

/** Content of a tab as text; undefined for the whole span as JSON. */
function textOf(tab: Tab, loaded: LoadedSpan | undefined): string | undefined {
  const view = loaded?.detail.view;
  if (loaded === undefined || view === undefined) return undefined;
  // Where only beginnings are here, the whole has to be fetched.
  if ((loaded.detail.clamped ?? []).length > 0) return undefined;
  switch (tab) {
    case 'messages':
      return conversationText(view.messages);
    case 'overview': {
      const { error, tool, mcp } = view;
      const texts = [
        ...[error?.type, error?.message, error?.status_message, error?.stacktrace],
        tool?.arguments?.text ?? mcp?.request?.text,
        tool?.result?.text ?? mcp?.response?.text,
      ].filter((text) => text != null && text !== '');
      return texts.length === 0 ? undefined : texts.join('\n');
    }
    default:
      return undefined;
  }
}

interface TabBodyProps {
  readonly tab: Tab;
  readonly row: SpanRow;
  readonly trace: Trace;
  /** As it is shown, and as it ended. */
  readonly loaded: LoadedSpan;
  readonly whole: LoadedSpan | undefined;
  readonly isRaw: boolean;
  /** Whether it is shown at an instant before its end. */
  readonly isThen: boolean;
  readonly onSelect: (key: string) => void;
}

function TabBody({ tab, row, trace, loaded, whole, isRaw, isThen, onSelect }: TabBodyProps) {
  const { detail, text } = loaded;
  switch (tab) {
    case 'overview':
      return <Overview row={row} detail={detail} trace={trace} onSelect={onSelect} />;
    case 'messages':
      return (
        <>
          <Conversation
            messages={detail.view.messages}
            tools={detail.view.llm?.tools_offered ?? []}
            toolsBefore={detail.tools_before}
            onSelect={onSelect}
          />
          {detail.view.llm?.so_far != null && (
            <div className="ins-talk">
              <div className="ins-turn ins-turn--output">
                <SoFar soFar={detail.view.llm.so_far} isRaw={isRaw} />
              </div>
            </div>
          )}
        </>
      );
    case 'decisions':
      return <Decisions decisions={detail.view.decisions} />;
    case 'state':
      return <StateView span={detail} version={whole} onSelect={onSelect} />;
    case 'events':
      return <Events text={text} detail={detail} />;
    case 'links':
      return <Links {...{ text, detail, row, trace, onSelect }} />;
    case 'attributes':
      return <Attributes text={text} detail={detail} isThen={isThen} />;
    case 'raw':
      return <RawSpan text={text} />;
    default:
      return <VisualisedSpan tab={tab} span={detail} />;
  }
}

function Skeleton() {
  return (
    <div className="ins-panel__skeleton" role="status">
      <span className="ins-hidden">{PARTS_TEXT.loading}</span>
      {[80, 95, 60, 88, 40].map((width) => (
        <span key={width} style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}

export function RawSpan({ text }: { readonly text: string }) {
  const cuts = useShownSpan()?.cuts.size ?? 0;
  const isSaved = useInspector().saved !== undefined;
  return (
    <section className="ins-section">
      <h3>
        {formatBytes(new TextEncoder().encode(text).length)}
        <CopyAs />
      </h3>
      {cuts > 0 && (
        <p className="ins-none">
          <CodedText text={SPAN_TEXT.clamped(cuts)} />{' '}
          {isSaved ? SAVED_TEXT.cut : SPAN_TEXT.copyForAll}
        </p>
      )}
      <div className="ins-payload">
        <ValueView text={text} form="json" what={SPAN_TEXT.wholeSpan} />
      </div>
    </section>
  );
}
