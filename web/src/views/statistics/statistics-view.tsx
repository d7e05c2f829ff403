/** `?view=statistics`: where a session spent its time, tokens and money. */
import { type ReactNode, useCallback, useMemo } from 'react';
import type { Operation, SessionStatistics, SpanRow } from '../../api/types.ts';
import type { Steps } from '../../model/slices.ts';
import { greatest, ownTimes } from '../../model/statistics/span-times.ts';
import { countedUsage, type Usage, usageOverTime } from '../../model/statistics/usage.ts';
import { formatDuration, plural } from '../../model/text/format.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import { waitsSince } from '../../model/trace/span-status.ts';
import { spanTreeOf } from '../../model/trace/span-tree.ts';
import type { Trace } from '../../state/trace.ts';
import { CONTEXT_TEXT, STATISTICS_TEXT } from '../../texts.ts';
import { useCell, useInspector, useTraceNow } from '../parts/context.ts';
import { KindIcon } from '../parts/icons.tsx';
import type { SessionViewProps } from '../parts/session-view.ts';
import { useStepsOverSpans } from '../parts/sliced.ts';
import { SpanLink } from '../parts/statistics/cells.tsx';
import { useServiceStatistics } from '../parts/statistics/service-statistics.ts';
import { VisibleText } from '../parts/visible-text.tsx';
import { ContextStream } from './context-stream.tsx';
import { OperationsTable } from './operations-table.tsx';
import { RollUpTable } from './roll-up-table.tsx';
import { useSessionContext } from './session-context.ts';
import { StreamsSection } from './streams-section.tsx';
import { UsageChart } from './usage-chart.tsx';
import '../parts/statistics/statistics.css';

/** Columns by index, for statistics of single spans; the service counts the rest. */
interface CountedSpans {
  readonly rows: readonly SpanRow[];
  readonly used: readonly (Usage | undefined)[];
  readonly own_ns: readonly (number | undefined)[];
}

const BUCKETS = 60;
const MOST = 8;

export function StatisticsView({ trace, onSelect }: SessionViewProps) {
  const { router } = useInspector();
  const { statistics, problem } = useServiceStatistics(trace, true);
  const context = useSessionContext(trace);
  const steps = useCallback(
    function* (): Steps<CountedSpans> {
      const tree = yield* spanTreeOf(trace.forest, (key) => trace.spans.get(key));
      const own_ns = yield* ownTimes(tree);
      return { rows: tree.rows, used: countedUsage(tree), own_ns };
    },
    [trace],
  );
  const counted = useStepsOverSpans(trace, steps);
  const state = useCell(trace.state);
  const open = useCallback(
    (span: { readonly trace_id: string; readonly span_id: string }) => onSelect(spanKey(span)),
    [onSelect],
  );
  const openLongest = useCallback(
    ({ times }: Pick<Operation, 'times'>) => open(times.longest),
    [open],
  );
  const openError = useCallback(
    ({ kind, name }: Operation) => {
      const isIt = (row: SpanRow) =>
        row.status === 'error' &&
        row.kind === kind &&
        row.name === name &&
        row.duplicate_of === null;
      const found = [...trace.spans.values()].filter(isIt);
      const first = found.reduce<SpanRow | undefined>(
        (before, row) => (before === undefined || row.offset_ns < before.offset_ns ? row : before),
        undefined,
      );
      if (first !== undefined) open(first);
    },
    [trace, open],
  );
  const find = useCallback(
    ({ name }: Operation) => router.adjust({ view: 'waterfall', find: name }),
    [router],
  );

  if (statistics === undefined) {
    const isEmpty = state.kind === 'ready' && trace.spans.size === 0;
    return (
      <div className="ins-stats ins-stats--empty" role="status">
        {isEmpty
          ? STATISTICS_TEXT.none
          : problem === undefined
            ? STATISTICS_TEXT.counting
            : STATISTICS_TEXT.failed(problem)}
      </div>
    );
  }
  const { operations, models, tools, agents, cache, streams, not_read } = statistics;
  return (
    <div className="ins-stats">
      <Section title={STATISTICS_TEXT.operations} note={<Note statistics={statistics} />}>
        <OperationsTable
          operations={operations}
          cache={cache}
          own_ns={operations.reduce((sum, one) => sum + one.own_ns, 0)}
          onOpen={openLongest}
          onOpenError={openError}
          onFind={find}
        />
      </Section>
      {agents.length > 0 && (
        <Section title={STATISTICS_TEXT.agents} note={STATISTICS_TEXT.agentsNote}>
          <RollUpTable of="agents" rows={agents} onOpen={openLongest} />
        </Section>
      )}
      <div className="ins-stats__pair">
        {models.length > 0 && (
          <Section title={STATISTICS_TEXT.models} note={<PriceNote statistics={statistics} />}>
            <RollUpTable of="models" rows={models} onOpen={openLongest} />
          </Section>
        )}
        {tools.length > 0 && (
          <Section title={STATISTICS_TEXT.tools}>
            <RollUpTable of="tools" rows={tools} onOpen={openLongest} />
          </Section>
        )}
        {counted !== undefined && (
          <>
            <OverTime counted={counted} />
            <Slowest counted={counted} onOpen={open} />
            <Waits trace={trace} counted={counted} onOpen={open} />
          </>
        )}
      </div>
      {(streams.first_chunk !== null || streams.stall !== null) && (
        <Section
          title={STATISTICS_TEXT.streamedAnswers}
          note={not_read > 0 ? STATISTICS_TEXT.notRead(not_read) : undefined}
        >
          <StreamsSection streams={streams} onOpen={open} />
        </Section>
      )}
      {context !== undefined && context.calls.length > 0 && (
        <Section
          title={CONTEXT_TEXT.stream}
          note={
            context.left_out > 0 ? CONTEXT_TEXT.leftOut(context.left_out) : CONTEXT_TEXT.streamNote
          }
        >
          <ContextStream calls={context.calls} onOpen={open} />
        </Section>
      )}
      {problem !== undefined && (
        <p className="ins-stats__problem" role="alert">
          {STATISTICS_TEXT.stale} {problem}
        </p>
      )}
    </div>
  );
}

interface SectionProps {
  readonly title: string;
  readonly note?: ReactNode;
  readonly children: ReactNode;
}

function Section({ title, note, children }: SectionProps) {
  return (
    <section className="ins-stats__section" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {note !== undefined && <p>{note}</p>}
      </header>
      {children}
    </section>
  );
}

function Note({ statistics }: { readonly statistics: SessionStatistics }) {
  const { operations, operation_count, span_count } = statistics;
  const count = operations.reduce((sum, one) => sum + one.count, 0);
  const running = operations.reduce((sum, one) => sum + one.running, 0);
  const repeated = operations.length === operation_count ? span_count - count : 0;
  const notes = [
    ...(repeated > 0 ? [STATISTICS_TEXT.hidden(repeated)] : []),
    ...(running > 0 ? [STATISTICS_TEXT.running(running)] : []),
  ];
  return (
    <>
      {plural(count, 'span')}
      {notes.length > 0 && <span title={STATISTICS_TEXT.countedTitle}> ({notes.join(', ')})</span>}
    </>
  );
}

/** Models that are named; senders may use any number of names. */
const MAX_UNPRICED = 10;

/** What the costs are computed from, and which models have none. */
function PriceNote({ statistics }: { readonly statistics: SessionStatistics }) {
  const { price_list: list, unpriced_models: unpriced } = statistics;
  const names = unpriced.slice(0, MAX_UNPRICED).map((name) => name || STATISTICS_TEXT.noModel);
  const more = unpriced.length - names.length;
  if (more > 0) names.push(STATISTICS_TEXT.more(more));
  const parts = [
    list?.state === 'loaded' && STATISTICS_TEXT.prices(`${list.name} ${list.version}`, list.date),
    list?.state === 'failed' && STATISTICS_TEXT.noPriceList,
    names.length > 0 && STATISTICS_TEXT.noPrice(names.join(', ')),
  ];
  return <VisibleText text={parts.filter(Boolean).join('; ')} />;
}

function OverTime({ counted: { rows, used } }: { readonly counted: CountedSpans }) {
  const usage = useMemo(() => usageOverTime(rows, used, BUCKETS), [rows, used]);
  if (usage === undefined) return null;
  return (
    <Section title={STATISTICS_TEXT.tokensOverTime}>
      <UsageChart usage={usage} />
    </Section>
  );
}

interface ListProps {
  readonly counted: CountedSpans;
  readonly onOpen: (span: SpanRow) => void;
}

function Slowest({ counted: { rows, own_ns }, onOpen }: ListProps) {
  const found = useMemo(
    () =>
      greatest(rows, (row, place) => (row.duplicate_of === null ? (own_ns[place] ?? 0) : 0), MOST),
    [rows, own_ns],
  );
  if (found.length === 0) return null;
  return (
    <Section title={STATISTICS_TEXT.slowestSpans} note={STATISTICS_TEXT.slowestNote}>
      <SpanList found={found} onOpen={onOpen} />
    </Section>
  );
}

function Waits({ trace, counted: { rows }, onOpen }: ListProps & { readonly trace: Trace }) {
  const waiting = useMemo(() => rows.filter((row) => row.waits > 0 || row.wait_ns > 0), [rows]);
  const isOpen = waiting.some((row) => waitsSince(row) !== undefined);
  const now_ns = useTraceNow(trace, isOpen ? 1000 : undefined);
  const found = greatest(waiting, (row) => row.wait_ns + openWait_ns(row, now_ns), MOST);
  if (found.length === 0) return null;
  return (
    <Section title={STATISTICS_TEXT.longestWaits} note={STATISTICS_TEXT.waitsNote}>
      <SpanList found={found} onOpen={onOpen} isWaiting={(row) => openWait_ns(row, now_ns) > 0} />
    </Section>
  );
}

function openWait_ns(row: SpanRow, now_ns: number): number {
  const since_ns = waitsSince(row);
  return since_ns === undefined ? 0 : Math.max(0, now_ns - since_ns);
}

interface SpanListProps {
  readonly found: readonly { readonly row: SpanRow; readonly value: number }[];
  readonly onOpen: (span: SpanRow) => void;
  readonly isWaiting?: (row: SpanRow) => boolean;
}

function SpanList({ found, onOpen, isWaiting = () => false }: SpanListProps) {
  return (
    <ul className="ins-stats__worst ins-stats__worst--padded">
      {found.map(({ row, value }) => (
        <li key={spanKey(row)}>
          <SpanLink
            name={row.name}
            icon={<KindIcon kind={row.kind} />}
            title={row.name}
            onOpen={() => onOpen(row)}
          />
          {isWaiting(row) && (
            <span className="ins-stats__waiting">{STATISTICS_TEXT.waitingNow}</span>
          )}
          <span>{formatDuration(value)}</span>
        </li>
      ))}
    </ul>
  );
}
