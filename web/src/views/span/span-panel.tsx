/** The selected span: what it is at once, the rest of it when it has arrived. */
import { type KeyboardEvent, useMemo, useState } from 'react';
import type { SpanDetail, SpanRow } from '../../api/types.ts';
import { formatDuration, formatOffset, formatRunning } from '../../model/format.ts';
import { endOffset } from '../../model/span-status.ts';
import { spanKey } from '../../model/span-tree.ts';
import type { Trace } from '../../state/trace.ts';
import { useCell, useInspector, useNow, useRoute, useRow } from '../context.ts';
import { CopyButton } from '../copy-button.tsx';
import { ActionIcon, KindIcon, kindName, StatusIcon } from '../icons.tsx';
import { SpanRequests } from '../requests/span-requests.tsx';
import { useWaiting } from '../session/waiting.ts';
import {
  isVisualiserTab,
  VisualisedSpan,
  type VisualiserTab,
  visualiserTabs,
} from '../visualisers/span-tabs.tsx';
import { Attributes } from './attributes.tsx';
import { Conversation } from './conversation.tsx';
import { Decisions } from './decisions.tsx';
import { Events } from './events.tsx';
import { InputOutput } from './input-output.tsx';
import { Overview } from './overview.tsx';
import { RawSpan } from './raw-span.tsx';
import { type SpanLoad, useSpanLoad } from './span-load.ts';
import { StateChanges } from './state-changes.tsx';
import './span-panel.css';

interface SpanPanelProps {
  readonly trace: Trace;
  readonly selected: string;
  readonly onClose: () => void;
}

export function SpanPanel({ trace, selected, onClose }: SpanPanelProps) {
  const row = useRow(trace.spans, selected);
  const load = useSpanLoad(selected, row);
  return (
    <aside className="ins-panel" aria-label="Span">
      {row === undefined ? (
        <header className="ins-panel__head">
          <h2>
            {trace.state.get().kind === 'loading' ? 'Loading' : 'This span is not in the session'}
          </h2>
          <CloseButton onClose={onClose} />
        </header>
      ) : (
        <>
          <PanelHead trace={trace} row={row} onClose={onClose} />
          <PanelBody key={selected} row={row} load={load} />
        </>
      )}
    </aside>
  );
}

interface PanelHeadProps {
  readonly trace: Trace;
  readonly row: SpanRow;
  readonly onClose: () => void;
}

function PanelHead({ trace, row, onClose }: PanelHeadProps) {
  const isWaiting = useWaiting(trace).has(spanKey(row));
  return (
    <header className="ins-panel__head">
      <div className="ins-panel__title">
        <KindIcon kind={row.kind} />
        <h2 title={row.name}>{row.name || '(no name)'}</h2>
        <CloseButton onClose={onClose} />
      </div>
      <p className="ins-panel__facts">
        <span>{kindName(row.kind)}</span>
        <SpanState row={row} isWaiting={isWaiting} />
        <span>
          <Took trace={trace} row={row} />
        </span>
        <span>starts at {formatOffset(row.offset_ns)}</span>
        <span className="ins-panel__id">
          <code title={`Trace ${row.trace_id}, span ${row.span_id}`}>{row.span_id}</code>
          <CopyButton text={`${row.trace_id} ${row.span_id}`} what="trace id and span id" />
        </span>
      </p>
    </header>
  );
}

function CloseButton({ onClose }: { readonly onClose: () => void }) {
  return (
    <button
      type="button"
      className="ins-icon-button ins-panel__close"
      title="Close (Esc)"
      aria-label="Close the span"
      onClick={onClose}
    >
      <ActionIcon name="close" />
    </button>
  );
}

function SpanState({ row, isWaiting }: { readonly row: SpanRow; readonly isWaiting: boolean }) {
  if (isWaiting) return <Badge shape="waiting" text="waiting" />;
  switch (row.status) {
    case 'running':
      return <Badge shape="running" text="running" />;
    case 'error':
      return <Badge shape="failed" text="error" />;
    case 'cancelled':
      return <Badge shape="cancelled" text="cancelled" />;
    case 'lost':
      return <Badge shape="lost" text="lost" />;
    default:
      return <Badge shape="completed" text="ok" />;
  }
}

function Badge({
  shape,
  text,
}: {
  shape: Parameters<typeof StatusIcon>[0]['shape'];
  text: string;
}) {
  return (
    <span className={`ins-panel__state ins-panel__state--${shape}`}>
      <StatusIcon shape={shape} />
      {text}
    </span>
  );
}

function Took({ trace, row }: { readonly trace: Trace; readonly row: SpanRow }) {
  const { clock } = useInspector();
  const epoch_ns = useCell(trace.epoch_ns);
  useNow(row.status === 'running' ? 500 : undefined);
  if (row.status === 'lost') return 'end not known';
  const now_ns = clock.nowOffset_ns(epoch_ns ?? '0');
  const took_ns = endOffset(row, now_ns) - row.offset_ns;
  return row.status === 'running' ? formatRunning(took_ns) : formatDuration(took_ns);
}

const TABS = [
  ['overview', 'Overview'],
  ['messages', 'Messages'],
  ['io', 'Input and output'],
  ['decisions', 'Decisions'],
  ['state', 'State'],
  ['events', 'Events'],
  ['attributes', 'Attributes'],
  ['raw', 'Raw'],
] as const;

type Tab = (typeof TABS)[number][0] | VisualiserTab;

/** How much there is behind a tab; 0 hides it. */
function countOf(tab: Tab, { view, events, attributes }: SpanDetail): number {
  switch (tab) {
    case 'messages':
      return view.messages.length;
    case 'io':
      return view.tool !== null || view.mcp !== null ? 1 : 0;
    case 'decisions':
      return view.decisions.length;
    case 'state':
      return view.state.length;
    case 'events':
      return events.length;
    case 'attributes':
      return Object.keys(attributes).length;
    default:
      return 1;
  }
}

/** What one opens such a span for. */
function preferredTab(row: SpanRow, shown: readonly Tab[]): Tab {
  if (row.status === 'error') return 'overview';
  if (shown.includes('io')) return 'io';
  if (shown.includes('messages')) return 'messages';
  return shown.find(isVisualiserTab) ?? 'overview';
}

function PanelBody({ row, load }: { readonly row: SpanRow; readonly load: SpanLoad }) {
  const { router, requests } = useInspector();
  const wanted = useRoute().query.get('tab');
  const detail = load.loaded?.detail;
  const tabs = useMemo(
    (): readonly (readonly [Tab, string])[] => [
      ...TABS.filter(([tab]) =>
        detail === undefined ? tab === 'overview' : countOf(tab, detail) > 0,
      ),
      ...(detail === undefined ? [] : visualiserTabs(detail)),
    ],
    [detail],
  );
  const shown = tabs.map(([tab]) => tab);
  const isAsked = useRow(requests.ofSpan, spanKey(row)) !== undefined;
  const [wasAsked] = useState(isAsked);
  const tab =
    shown.find((name) => name === wanted) ?? (wasAsked ? 'overview' : preferredTab(row, shown));
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const next = shown[(shown.indexOf(tab) + step + shown.length) % shown.length];
    if (step === 0 || next === undefined) return;
    event.preventDefault();
    router.adjust({ tab: next });
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next}"]`)?.focus();
  };
  return (
    <>
      <div className="ins-tabs" role="tablist" aria-label="Parts of the span" onKeyDown={onKeyDown}>
        {tabs.map(([name, label]) => (
          <button
            key={name}
            type="button"
            role="tab"
            data-tab={name}
            aria-selected={name === tab}
            tabIndex={name === tab ? 0 : -1}
            onClick={() => router.adjust({ tab: name })}
          >
            {label}
            {detail !== undefined && <Count tab={name} detail={detail} />}
          </button>
        ))}
      </div>
      <div key={tab} className="ins-panel__body" role="tabpanel" aria-label={tab} tabIndex={-1}>
        {(tab === 'overview' || tab === 'decisions') && <SpanRequests spanKey={spanKey(row)} />}
        {load.problem !== undefined && (
          <p className="ins-panel__problem" role="alert">
            {load.problem}
          </p>
        )}
        {load.loaded === undefined ? (
          load.problem === undefined && <Skeleton />
        ) : (
          <TabBody tab={tab} row={row} loaded={load.loaded} />
        )}
      </div>
    </>
  );
}

function Count({ tab, detail }: { readonly tab: Tab; readonly detail: SpanDetail }) {
  const isCounted = ['messages', 'decisions', 'state', 'events'].includes(tab);
  return isCounted ? <span className="ins-tabs__count">{countOf(tab, detail)}</span> : null;
}

function TabBody({
  tab,
  row,
  loaded,
}: {
  readonly tab: Tab;
  readonly row: SpanRow;
  readonly loaded: NonNullable<SpanLoad['loaded']>;
}) {
  const { detail, text } = loaded;
  switch (tab) {
    case 'overview':
      return <Overview row={row} detail={detail} />;
    case 'messages':
      return <Conversation messages={detail.view.messages} />;
    case 'io':
      return <InputOutput detail={detail} isRunning={row.status === 'running'} />;
    case 'decisions':
      return <Decisions decisions={detail.view.decisions} />;
    case 'state':
      return <StateChanges changes={detail.view.state} />;
    case 'events':
      return <Events text={text} detail={detail} />;
    case 'attributes':
      return <Attributes text={text} detail={detail} />;
    case 'raw':
      return <RawSpan text={text} />;
    default:
      return <VisualisedSpan tab={tab} span={detail} />;
  }
}

function Skeleton() {
  return (
    <div className="ins-panel__skeleton" role="status">
      <span className="ins-hidden">Loading</span>
      {[80, 95, 60, 88, 40].map((width) => (
        <span key={width} style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}
