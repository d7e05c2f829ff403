/** Two panes: side by side, or on a narrow page one with a sheet at its bottom. */
import { type FocusEvent, type KeyboardEvent, type ReactNode, useEffect, useState } from 'react';
import { DEFAULTS } from '../../state/preferences.ts';
import { useInspector, usePreferences, useSize } from './context.ts';
import { usePanelFocus } from './focus-back.ts';
import { follow } from './follow.ts';
import { useSheet } from './sheet.tsx';
import './split.css';
import { PARTS_TEXT } from '../../texts.ts';

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
  /** Whether the page opened the panel by itself: as a sheet it shows its head alone. */
  readonly isPeeking?: boolean;
  /** Called when a reader opens such a sheet. */
  readonly onOpen?: () => void;
}

export function Split({ main, side, isPeeking = false, onOpen = () => {} }: SplitProps) {
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
  const sheet = useSheet(element, isPeeking, onOpen);
  const [pane, setPane] = useState<HTMLDivElement | null>(null);
  useRowInView(pane, isStacked && hasSide);
  return (
    <div ref={setElement} className={`ins-split${isStacked ? ' ins-split--stacked' : ''}`}>
      <div ref={setPane} className="ins-split__main">
        {main}
      </div>
      {hasSide && !isStacked && (
        <div
          className="ins-split__handle"
          role="separator"
          aria-orientation="vertical"
          aria-label={PARTS_TEXT.panelWidth}
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
        // biome-ignore lint/a11y/noStaticElementInteractions: keys reach the handle
        // biome-ignore lint/a11y/useKeyWithClickEvents: see above
        <div
          className={`ins-split__side${isStacked ? ' ins-sheet' : ''}`}
          style={isStacked ? { height: sheet.height } : { width: side_px }}
          onFocus={(event: FocusEvent<HTMLElement>) => {
            onFocus(event);
            // A key came to what the sheet does not show yet.
            if (
              isPeeking &&
              event.target.matches('.ins-sheet :focus-visible:not(.ins-sheet__handle)')
            )
              onOpen();
          }}
          onClick={isPeeking ? onOpen : undefined}
        >
          {isStacked && sheet.handle}
          {side}
        </div>
      )}
    </div>
  );
}

function rightEdge(element: HTMLElement | null): number {
  return element?.getBoundingClientRect().right ?? 0;
}

/** Keep the current row in view above a sheet, whatever height it has. */
function useRowInView(pane: HTMLElement | null, isBelow: boolean): void {
  const { height_px } = useSize(pane);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height says when to look again
  useEffect(() => {
    if (!isBelow) return;
    const row = pane?.querySelector('[data-focus][tabindex="0"]');
    row?.scrollIntoView({ block: 'nearest' });
  }, [pane, isBelow, height_px]);
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
