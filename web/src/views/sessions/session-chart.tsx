/** Sessions over time, above the list: failed ones red, waiting ones hatched; drag to zoom. */
import {
  type KeyboardEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { Api } from '../../api/client.ts';
import type { SessionHistogram } from '../../api/types.ts';
import { type Bar, barsOf, describeBar, joined } from '../../model/sessions/session-chart.ts';
import { bucketsOf, type TimeRange, timeRangeText } from '../../model/sessions/time-range.ts';
import { plural } from '../../model/text/format.ts';
import { readPalette } from '../../render/palette.ts';
import { drawSessionBars } from '../../render/session-bars.ts';
import { SESSION_LIST_TEXT } from '../../texts.ts';
import { useInspector, useNow, useShownTheme, useSize } from '../parts/context.ts';
import { useTimes } from '../parts/times.tsx';
import './session-chart.css';

const HEIGHT_PX = 36;
const AGAIN_MS = 5000;
const HOUR_MS = 3_600_000;
/** The shortest time that the chart shows. */
const LEAST_MS = 60_000;

interface SessionChartProps {
  readonly query: string;
  readonly range: TimeRange;
}

export function SessionChart({ query, range }: SessionChartProps) {
  const { router } = useInspector();
  const found = useHistogram(query, range);
  const bars = useMemo(() => (found === undefined ? [] : barsOf(found)), [found]);
  const show = useCallback(
    (next: TimeRange) => router.adjust({ time: timeRangeText(next) }),
    [router],
  );
  const times = useTimes();
  const all = joined(bars);
  const width_ms = found?.bucket_ms ?? 0;
  return (
    <figure className="ins-chart">
      <Plot bars={bars} isZoomed={range.kind !== 'all'} onShow={show} />
      {all !== undefined && (
        <figcaption>
          <span>{times.onAxis(all.since_ms, all.until_ms - all.since_ms, width_ms)}</span>
          <span className="ins-chart__said">
            {describeBar(all)}
            {found?.counted_from != null && `, ${SESSION_LIST_TEXT.countingOlder}`}
            {SESSION_LIST_TEXT.barIs(lengthName(width_ms))}
          </span>
          <span>
            {range.kind === 'between'
              ? times.onAxis(all.until_ms, all.until_ms - all.since_ms, width_ms)
              : SESSION_LIST_TEXT.now}
          </span>
        </figcaption>
      )}
    </figure>
  );
}

interface PlotProps {
  readonly bars: readonly Bar[];
  readonly isZoomed: boolean;
  readonly onShow: (range: TimeRange) => void;
}

/** Marked bars, both ends inclusive; the second one is at the pointer or the keyboard cursor. */
interface Marked {
  readonly from: number;
  readonly to: number;
}

function Plot({ bars, isZoomed, onShow }: PlotProps) {
  const id = useId();
  const theme = useShownTheme();
  const times = useTimes();
  const [plot, setPlot] = useState<HTMLDivElement | null>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width_px } = useSize(plot);
  const [marked, setMarked] = useState<Marked>();
  const isDragging = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are read anew
  useEffect(() => {
    if (canvas.current === null) return;
    drawSessionBars(canvas.current, bars, readPalette(canvas.current), width_px, HEIGHT_PX);
  }, [bars, theme, width_px]);

  const at = (event: PointerEvent<HTMLDivElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const place = Math.floor(((event.clientX - left) / width) * bars.length);
    return Math.min(Math.max(place, 0), bars.length - 1);
  };
  const now = ordered(marked, bars.length);
  const bar = now && joined(bars.slice(now.first, now.last + 1));
  const zoom = () => {
    if (bar === undefined || bar.total === 0) return;
    setMarked(undefined);
    onShow({ kind: 'between', since_ms: bar.since_ms, until_ms: bar.until_ms });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const here = marked?.to ?? bars.length - 1;
    const to = moved(event.key, here, bars.length);
    if (to !== undefined) setMarked({ from: event.shiftKey ? (marked?.from ?? here) : to, to });
    else if (event.key === 'Enter') zoom();
    else if (event.key === 'Escape' && marked !== undefined) setMarked(undefined);
    else if (event.key === 'Escape' && isZoomed) onShow({ kind: 'all' });
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const share = 100 / Math.max(1, bars.length);
  const span = bar && bar.until_ms - bar.since_ms;
  const words =
    bar === undefined || span === undefined
      ? ''
      : `${times.onAxis(bar.since_ms, 2 * 86_400_000, span)}, ${lengthName(span)}: ${describeBar(bar)}`;
  return (
    <div
      ref={setPlot}
      className="ins-chart__plot"
      role="slider"
      tabIndex={0}
      aria-label={SESSION_LIST_TEXT.sessionsOverTime}
      aria-describedby={`${id}-hint`}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, bars.length - 1)}
      aria-valuenow={marked?.to ?? Math.max(0, bars.length - 1)}
      aria-valuetext={words || SESSION_LIST_TEXT.all}
      style={{ height: HEIGHT_PX }}
      onPointerDown={(event) => {
        if (event.button !== 0 || bars.length === 0) return;
        isDragging.current = true;
        event.currentTarget.setPointerCapture(event.pointerId);
        setMarked({ from: at(event), to: at(event) });
      }}
      onPointerMove={(event) => {
        if (bars.length === 0) return;
        const to = at(event);
        const from = isDragging.current ? (marked?.from ?? to) : to;
        if (marked?.from !== from || marked.to !== to) setMarked({ from, to });
      }}
      onPointerUp={() => {
        if (isDragging.current) zoom();
        isDragging.current = false;
      }}
      onPointerCancel={() => {
        isDragging.current = false;
        setMarked(undefined);
      }}
      onPointerLeave={() => {
        if (!isDragging.current) setMarked(undefined);
      }}
      onBlur={() => setMarked(undefined)}
      onKeyDown={onKeyDown}
    >
      <canvas ref={canvas} aria-hidden="true" />
      {now !== undefined && (
        <div
          className="ins-chart__marked"
          style={{
            left: `${now.first * share}%`,
            width: `${(now.last - now.first + 1) * share}%`,
          }}
        />
      )}
      {now !== undefined && (
        <div
          className="ins-chart__tip"
          aria-hidden="true"
          style={tipPlace((now.first + now.last + 1) * 0.5 * share)}
        >
          {words}
        </div>
      )}
      <span id={`${id}-hint`} className="ins-hidden">
        {SESSION_LIST_TEXT.chartKeys}
      </span>
    </div>
  );
}

function ordered(marked: Marked | undefined, count: number) {
  if (marked === undefined || count === 0) return undefined;
  const [from, to] = [Math.min(marked.from, count - 1), Math.min(marked.to, count - 1)];
  return { first: Math.min(from, to), last: Math.max(from, to) };
}

function moved(key: string, at: number, count: number): number | undefined {
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: count - 1 }[key];
  return to === undefined ? undefined : Math.min(Math.max(to, 0), Math.max(0, count - 1));
}

/** Position of the tooltip, kept within the page at both ends. */
function tipPlace(percent: number): { left?: string; right?: string; transform?: string } {
  if (percent < 15) return { left: '0' };
  if (percent > 85) return { right: '0' };
  return { left: `${percent}%`, transform: 'translateX(-50%)' };
}

function lengthName(length_ms: number): string {
  if (length_ms < 60_000) return plural(Math.round(length_ms / 1000), 'second');
  if (length_ms < HOUR_MS) return plural(Math.round(length_ms / 60_000), 'minute');
  if (length_ms < 24 * HOUR_MS) return plural(Math.round(length_ms / HOUR_MS), 'hour');
  return plural(Math.round(length_ms / (24 * HOUR_MS)), 'day');
}

/** Histogram of the query, requested again as time passes; the list shows the query's mistakes. */
function useHistogram(query: string, range: TimeRange): SessionHistogram | undefined {
  const { api, clock } = useInspector();
  const [found, setFound] = useState<SessionHistogram>();
  const tick_ms = useNow(AGAIN_MS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: time passes, and it is asked again
  useEffect(() => {
    if (document.visibilityState === 'hidden') return;
    const abort = new AbortController();
    ask(api, query, range, clock.now_ms(), abort.signal).then(setFound, () => {});
    return () => abort.abort();
  }, [api, query, range, clock, tick_ms]);
  return found;
}

async function ask(
  api: Api,
  query: string,
  range: TimeRange,
  now_ms: number,
  signal: AbortSignal,
): Promise<SessionHistogram> {
  const q = query === '' ? {} : { q: query };
  if (range.kind === 'between') {
    return api.histogram({ ...q, ...bucketsOf(range.since_ms, range.until_ms) }, signal);
  }
  const since_ms = range.kind === 'last' ? now_ms - range.length_ms : undefined;
  const first_ms = await firstStart(api, { ...q, since_ms }, signal);
  const latest_ms = now_ms - LEAST_MS;
  const first = Math.min(first_ms ?? latest_ms, latest_ms);
  // With its end: by now a bar more may have begun, and the first would be left out.
  return api.histogram({ ...q, ...bucketsOf(first, now_ms) }, signal);
}

/** Start of the oldest session that is found: the chart begins where the data does. */
async function firstStart(
  api: Api,
  wanted: { readonly q?: string; readonly since_ms: number | undefined },
  signal: AbortSignal,
): Promise<number | undefined> {
  const { since_ms, ...q } = wanted;
  const bound = since_ms === undefined ? {} : { since_ms: Math.max(0, Math.floor(since_ms)) };
  const { sessions } = await api.sessions({ sort: 'started', limit: 1, ...q, ...bound }, signal);
  const at_ms = Date.parse(sessions[0]?.started_at ?? '');
  return Number.isNaN(at_ms) ? undefined : at_ms;
}
