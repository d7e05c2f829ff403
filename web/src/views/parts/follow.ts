/** A pointer that is held down, wherever it goes. */
import type { PointerEvent } from 'react';

/** Call `onMove` with the pointer's place until it is released, then `onEnd`. */
export function follow(
  event: PointerEvent<HTMLElement>,
  onMove: (x: number, y: number) => void,
  onEnd: (x: number, y: number) => void = () => {},
): void {
  event.preventDefault();
  const target = event.currentTarget;
  target.setPointerCapture(event.pointerId);
  const move = (moved: globalThis.PointerEvent) => onMove(moved.clientX, moved.clientY);
  const stop = (ended: globalThis.PointerEvent) => {
    onEnd(ended.clientX, ended.clientY);
    target.removeEventListener('pointermove', move);
    target.removeEventListener('pointerup', stop);
    target.removeEventListener('pointercancel', stop);
  };
  target.addEventListener('pointermove', move);
  target.addEventListener('pointerup', stop);
  target.addEventListener('pointercancel', stop);
}
