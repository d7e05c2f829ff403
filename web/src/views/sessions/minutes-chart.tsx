/** Sessions per minute of the last hour; failed ones in red at the foot of their bar. */
import { useEffect, useRef } from 'react';
import { countPerMinute } from '../../model/session-order.ts';
import { drawMinutes } from '../../render/minutes.ts';
import { readPalette } from '../../render/palette.ts';
import { useCell, useInspector, useNow, useShownTheme } from '../context.ts';
import './minutes-chart.css';

const MINUTES = 60;
const WIDTH_PX = 240;
const HEIGHT_PX = 28;

export function MinutesChart() {
  const { sessions } = useInspector();
  const order = useCell(sessions.order);
  const theme = useShownTheme();
  const now_ms = useNow(5000);
  const canvas = useRef<HTMLCanvasElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours and rows are read anew
  useEffect(() => {
    if (canvas.current === null) return;
    const counts = countPerMinute(sessions.rows.values(), now_ms, MINUTES);
    drawMinutes(canvas.current, counts, readPalette(canvas.current), WIDTH_PX, HEIGHT_PX);
  }, [sessions, order, theme, now_ms]);
  return (
    <figure className="ins-minutes" title="Sessions per minute, last hour">
      <canvas ref={canvas} aria-hidden="true" />
      <figcaption>last hour</figcaption>
    </figure>
  );
}
