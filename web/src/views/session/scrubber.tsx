/**
 * The time line: a slider whose right end is the live end of the session, and what else there is to
 * say and do at an instant before it.
 */
import {
  type KeyboardEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react';
import { formatDuration, formatOffset } from '../../model/text/format.ts';
import { TimeAxis } from '../../model/timeline/gaps.ts';
import { SPEEDS } from '../../model/timeline/playback.ts';
import type { TimeWindow } from '../../model/timeline/time-scale.ts';
import type { TimeTravel } from '../../state/time-travel.ts';
import { TIME_TEXT } from '../../texts.ts';
import { useCell, useInspector } from '../parts/context.ts';
import { follow } from '../parts/follow.ts';
import { ActionIcon } from '../parts/icons.tsx';
import { type SessionShape, useSessionShape } from './session-shape.ts';
import { usePlayback, useTravelKeys } from './use-playback.ts';
import './scrubber.css';

type Scale = Pick<SessionShape, 'axis' | 'gaps'>;

interface ScrubberProps {
  readonly travel: TimeTravel;
  readonly scale: Scale;
  /** The range of the line, as places on the axis; without it, from the first start to the end. */
  readonly view?: TimeWindow;
  /** Called when the reader comes near to it. */
  readonly onNear?: () => void;
}

/** Parts of the line that an arrow key goes over. */
const STEPS = 100;

export function Scrubber({ travel, scale, view, onNear }: ScrubberProps) {
  const { live } = travel;
  const { clock } = useInspector();
  const at_ns = useCell(travel.at_ns);
  useCell(live.structure);
  useCell(live.running);
  const isLoading = useCell(live.state).kind === 'loading';
  const line = useRef<HTMLDivElement>(null);
  const extentNow = useCallback(
    () => live.tally.extent(clock.nowOffset_ns(live.epoch_ns.get() ?? '0')),
    [live, clock],
  );
  const extent = extentNow();
  const { start_ns, end_ns, isRunning } = extent;
  const { isPlaying, toggle, speed } = usePlayback(travel, extentNow, scale.gaps);
  const focus = useCallback(() => line.current?.focus(), []);
  useTravelKeys(travel, focus, toggle);
  const isBeyond = at_ns !== undefined && !isLoading && !isRunning && at_ns >= end_ns;
  useEffect(() => {
    if (isBeyond) travel.go(undefined);
  }, [travel, isBeyond]);
  if (end_ns <= start_ns) return null;

  const places = view ?? scale.axis.windowOf(extent);
  const length = places.end_ns - places.start_ns;
  const goTo = (place: number) => {
    const now = extentNow();
    const to_ns = Math.max(scale.axis.offsetOf(place), now.start_ns);
    travel.go(to_ns < now.end_ns ? to_ns : undefined);
  };
  const near = () => {
    void travel.prepare();
    onNear?.();
  };
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const follows = (x: number) => goTo(places.start_ns + ((x - left) / width) * length);
    focus();
    travel.isPlaying.set(false);
    follows(event.clientX);
    follow(event, follows);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const here = scale.axis.placeOf(at_ns ?? end_ns);
    const keys: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => goTo(here - length / STEPS),
      ArrowDown: () => goTo(here - length / STEPS),
      ArrowRight: () => goTo(here + length / STEPS),
      ArrowUp: () => goTo(here + length / STEPS),
      Home: () => travel.go(start_ns),
      End: () => travel.go(undefined),
      PageUp: () => travel.step(-1, end_ns),
      PageDown: () => travel.step(1, end_ns),
      ' ': toggle,
      ...(at_ns !== undefined && { Escape: () => travel.go(undefined) }),
    };
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    if (event.key !== ' ') travel.isPlaying.set(false);
    act();
  };
  const part = at_ns === undefined ? 1 : (scale.axis.placeOf(at_ns) - places.start_ns) / length;
  const percent = Math.min(Math.max(part, 0), 1) * 100;
  const isPast = at_ns !== undefined;
  const where = isPast
    ? TIME_TEXT.at(formatOffset(at_ns - start_ns), formatDuration(end_ns - start_ns))
    : isRunning
      ? TIME_TEXT.live
      : TIME_TEXT.end;
  return (
    <div className={`ins-scrub${isPast ? ' ins-scrub--past' : ''}`}>
      <div
        ref={line}
        className="ins-scrub__line"
        role="slider"
        tabIndex={0}
        title={TIME_TEXT.title}
        aria-label={TIME_TEXT.label}
        aria-orientation="horizontal"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(percent)}
        aria-valuetext={where}
        onPointerDown={onPointerDown}
        onPointerEnter={near}
        onFocus={near}
        onKeyDown={onKeyDown}
      >
        <span className="ins-scrub__later" style={{ left: `${percent}%` }} />
        <span className="ins-scrub__thumb" style={{ left: `${percent}%` }} />
      </div>
      {isPast && (
        <div className="ins-scrub__bar">
          <button
            type="button"
            className="ins-icon-button"
            title={`${isPlaying ? TIME_TEXT.pause : TIME_TEXT.play} (${TIME_TEXT.space})`}
            aria-label={isPlaying ? TIME_TEXT.pause : TIME_TEXT.play}
            onClick={toggle}
          >
            <ActionIcon name={isPlaying ? 'pause' : 'play'} />
          </button>
          <span className="ins-scrub__where">{where}</span>
          <span className="ins-scrub__speeds" role="group" aria-label={TIME_TEXT.speed}>
            {SPEEDS.map((one) => (
              <button
                key={one}
                type="button"
                aria-pressed={one === speed}
                onClick={() => travel.speed.set(one)}
              >
                {one}×
              </button>
            ))}
          </span>
          <span className="ins-scrub__note" title={TIME_TEXT.note}>
            {TIME_TEXT.note}
          </span>
          <button type="button" className="ins-link" onClick={() => travel.go(undefined)}>
            {isRunning ? TIME_TEXT.toLive : TIME_TEXT.toEnd}
          </button>
        </div>
      )}
    </div>
  );
}

const PLAIN: Scale = { axis: new TimeAxis(), gaps: [] };

/** The time line of a view without a time axis: its gaps are looked for once somebody comes near. */
export function ViewScrubber({ travel }: { readonly travel: TimeTravel }) {
  const [isNear, setNear] = useState(false);
  const [scale, setScale] = useState(PLAIN);
  const isPast = useCell(travel.at_ns) !== undefined;
  const onNear = useCallback(() => setNear(true), []);
  return (
    <>
      <Scrubber travel={travel} scale={scale} onNear={onNear} />
      {(isNear || isPast) && <Gaps travel={travel} onFound={setScale} />}
    </>
  );
}

interface GapsProps {
  readonly travel: TimeTravel;
  readonly onFound: (scale: Scale) => void;
}

function Gaps({ travel, onFound }: GapsProps) {
  const { axis, gaps } = useSessionShape(travel.live, undefined, false);
  useEffect(() => onFound({ axis, gaps }), [axis, gaps, onFound]);
  return null;
}
