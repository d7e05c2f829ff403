/** Two panes: side by side, or one below the other on a narrow page. */
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react';
import { DEFAULTS } from '../../state/preferences.ts';
import { useInspector, usePreferences, useSize } from './context.ts';
import { usePanelFocus } from './focus-back.ts';
import './split.css';

const NARROW_PX = 900;
const MIN_SIDE_PX = 320;
const MIN_MAIN_PX = 360;
const STEP_PX = 24;
/** Largest share of the panel until the reader chooses a width. */
const MOST_OF_ROOM = 0.44;

interface SplitProps {
  readonly main: ReactNode;
  /** Content of the panel; without it the main pane fills the page. */
  readonly side: ReactNode;
}

export function Split({ main, side }: SplitProps) {
  const { preferences } = useInspector();
  const { panel_px } = usePreferences();
  const [element, setElement] = useState<HTMLDivElement | null>(null);
  const { width_px } = useSize(element);
  const isStacked = width_px > 0 && width_px < NARROW_PX;
  const most_px = Math.max(MIN_SIDE_PX, width_px - MIN_MAIN_PX);
  const isChosen = panel_px !== DEFAULTS.panel_px;
  const wanted_px = isChosen ? panel_px : Math.min(panel_px, width_px * MOST_OF_ROOM);
  const side_px = Math.round(clamp(wanted_px, MIN_SIDE_PX, most_px));
  const resize = (px: number) =>
    preferences.change({ panel_px: Math.round(clamp(px, MIN_SIDE_PX, most_px)) });
  const hasSide = side !== false && side !== undefined;
  const onFocus = usePanelFocus(hasSide);
  return (
    <div ref={setElement} className={`ins-split${isStacked ? ' ins-split--stacked' : ''}`}>
      <div className="ins-split__main">{main}</div>
      {hasSide && !isStacked && (
        <div
          className="ins-split__handle"
          role="separator"
          aria-orientation="vertical"
          aria-label="Width of the span panel"
          aria-valuenow={side_px}
          aria-valuemin={MIN_SIDE_PX}
          aria-valuemax={Math.round(most_px)}
          tabIndex={0}
          onPointerDown={(event) => follow(event, (x) => resize(rightEdge(element) - x))}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key === 'ArrowLeft') resize(side_px + STEP_PX);
            else if (event.key === 'ArrowRight') resize(side_px - STEP_PX);
            else return;
            event.preventDefault();
          }}
        />
      )}
      {hasSide && (
        // biome-ignore lint/a11y/noStaticElementInteractions: it only notes where the focus was
        <div
          className="ins-split__side"
          style={isStacked ? {} : { width: side_px }}
          onFocus={onFocus}
        >
          {side}
        </div>
      )}
    </div>
  );
}

function rightEdge(element: HTMLElement | null): number {
  return element?.getBoundingClientRect().right ?? 0;
}

/** Call `onMove` with the pointer's x until it is released. */
export function follow(event: PointerEvent<HTMLElement>, onMove: (x: number) => void): void {
  event.preventDefault();
  const target = event.currentTarget;
  target.setPointerCapture(event.pointerId);
  const move = (moved: globalThis.PointerEvent) => onMove(moved.clientX);
  const stop = () => {
    target.removeEventListener('pointermove', move);
    target.removeEventListener('pointerup', stop);
    target.removeEventListener('pointercancel', stop);
  };
  target.addEventListener('pointermove', move);
  target.addEventListener('pointerup', stop);
  target.addEventListener('pointercancel', stop);
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
