/**
 * A panel at the bottom of a narrow page: its handle is dragged, or pressed to enlarge it.
 *
 * A panel that the page opened by itself shows its head alone until it is tapped.
 */
import { type PointerEvent, type ReactNode, useRef, useState } from 'react';
import { SHEET_TEXT } from '../../texts.ts';
import { follow } from './follow.ts';
import './sheet.css';

const HALF = 0.55;
const LEAST = 0.2;
/** Share of the room above which a sheet that is let go takes all of it. */
const FULL_FROM = 0.75;
/** Way of the pointer up to which it presses the handle. */
const PRESS_PX = 4;

interface Sheet {
  /** Height as a CSS value. */
  readonly height: string;
  readonly handle: ReactNode;
}

/** `isPeeking`: it shows its head alone; a press of the handle calls `onOpen`. */
export function useSheet(room: HTMLElement | null, isPeeking: boolean, onOpen: () => void): Sheet {
  const [share, setShare] = useState(HALF);
  const wasDragged = useRef(false);
  const isFull = share === 1;
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (room === null) return;
    const { bottom, height } = room.getBoundingClientRect();
    const first_y = event.clientY;
    wasDragged.current = false;
    const shareAt = (y: number) => Math.min(1, Math.max(LEAST, (bottom - y) / height));
    follow(
      event,
      (_, y) => {
        wasDragged.current ||= Math.abs(y - first_y) > PRESS_PX;
        if (!wasDragged.current) return;
        onOpen();
        setShare(shareAt(y));
      },
      (_, y) => {
        if (wasDragged.current) setShare(shareAt(y) > FULL_FROM ? 1 : HALF);
      },
    );
  };
  const onClick = () => {
    if (wasDragged.current) wasDragged.current = false;
    else if (isPeeking) onOpen();
    else setShare(isFull ? HALF : 1);
  };
  const name = isPeeking ? SHEET_TEXT.open : isFull ? SHEET_TEXT.shrink : SHEET_TEXT.enlarge;
  return {
    height: isPeeking ? 'var(--sheet-head)' : `${100 * share}%`,
    handle: (
      <button
        type="button"
        className="ins-sheet__handle"
        aria-label={name}
        title={name}
        onPointerDown={onPointerDown}
        onClick={onClick}
      />
    ),
  };
}
