/** Sessions per minute of the last hour that fit the filter; failed ones in red at the foot. */
import { useEffect, useRef, useState } from 'react';
import type { SessionHistogram } from '../../api/types.ts';
import { drawMinutes } from '../../render/minutes.ts';
import { readPalette } from '../../render/palette.ts';
import { useInspector, useNow, useShownTheme } from '../context.ts';
import './minutes-chart.css';

const ASKED = { bucket_ms: 60_000, buckets: 60 };
const WIDTH_PX = 240;
const HEIGHT_PX = 28;

interface MinutesChartProps {
  readonly query: string;
}

export function MinutesChart({ query }: MinutesChartProps) {
  const { api } = useInspector();
  const theme = useShownTheme();
  const now_ms = useNow(5000);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [found, setFound] = useState<SessionHistogram>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: time passes, and it is asked again
  useEffect(() => {
    const abort = new AbortController();
    const asked = query === '' ? ASKED : { ...ASKED, q: query };
    // What is wrong is said where the list is asked for.
    api.histogram(asked, abort.signal).then(setFound, () => {});
    return () => abort.abort();
  }, [api, query, now_ms]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are read anew
  useEffect(() => {
    if (canvas.current === null || found === undefined) return;
    const counts = found.buckets.map(({ counts }) => ({
      total: Object.values(counts).reduce((sum, count) => sum + count, 0),
      failed: counts.failed ?? 0,
    }));
    drawMinutes(canvas.current, counts, readPalette(canvas.current), WIDTH_PX, HEIGHT_PX);
  }, [found, theme]);
  return (
    <figure className="ins-minutes" title="Sessions per minute, last hour">
      <canvas ref={canvas} aria-hidden="true" />
      <figcaption>last hour</figcaption>
    </figure>
  );
}
