/** Visible part of the plane: all of it until the reader moves or zooms. */
import { type PointerEvent, useCallback, useEffect, useState } from 'react';
import type { Layout } from '../../model/graph/graph-layout.ts';

interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

const PADDING_PX = 36;
const SCALES = { least: 0.15, most: 2.5, fit: 1.1 };

interface Plane {
  readonly view: View;
  /** A factor above 1 zooms in; the middle keeps its position. */
  readonly zoom: (factor: number) => void;
  readonly fit: () => void;
  readonly handlers: { readonly onPointerDown: (event: PointerEvent<HTMLElement>) => void };
}

export function usePlane(
  element: HTMLElement | null,
  width_px: number,
  height_px: number,
  layout: Layout,
): Plane {
  const [chosen, setChosen] = useState<View>();
  const fitted = fittedView(width_px, height_px, layout);
  const view = chosen ?? fitted;
  const { x, y, scale } = fitted;
  const change = useCallback(
    (make: (before: View) => View) => setChosen((before) => make(before ?? { x, y, scale })),
    [x, y, scale],
  );
  const zoom = useCallback(
    (factor: number) => change((before) => zoomed(before, factor, width_px / 2, height_px / 2)),
    [change, width_px, height_px],
  );
  const fit = useCallback(() => setChosen(undefined), []);
  useEffect(() => {
    if (element === null) return;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const box = element.getBoundingClientRect();
      const step = Math.max(-120, Math.min(120, event.deltaY));
      change((before) =>
        event.ctrlKey || event.metaKey
          ? zoomed(before, Math.exp(-step / 300), event.clientX - box.left, event.clientY - box.top)
          : { ...before, x: before.x - event.deltaX, y: before.y - event.deltaY },
      );
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [element, change]);
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    const isPlane = !(event.target instanceof Element && event.target.closest('button') !== null);
    if (event.button !== 0 || !isPlane) return;
    const target = event.currentTarget;
    target.setPointerCapture(event.pointerId);
    let [lastX, lastY] = [event.clientX, event.clientY];
    const move = (moved: globalThis.PointerEvent) => {
      const [byX, byY] = [moved.clientX - lastX, moved.clientY - lastY];
      [lastX, lastY] = [moved.clientX, moved.clientY];
      change((before) => ({ ...before, x: before.x + byX, y: before.y + byY }));
    };
    target.addEventListener('pointermove', move);
    target.addEventListener(
      'lostpointercapture',
      () => target.removeEventListener('pointermove', move),
      { once: true },
    );
  };
  return { view, zoom, fit, handlers: { onPointerDown } };
}

function fittedView(width_px: number, height_px: number, { width, height }: Layout): View {
  const scale = Math.max(
    SCALES.least,
    Math.min(
      SCALES.fit,
      (width_px - 2 * PADDING_PX) / Math.max(1, width),
      (height_px - 2 * PADDING_PX) / Math.max(1, height),
    ),
  );
  return { x: (width_px - width * scale) / 2, y: (height_px - height * scale) / 2, scale };
}

function zoomed(before: View, factor: number, x: number, y: number): View {
  const scale = Math.max(SCALES.least, Math.min(SCALES.most, before.scale * factor));
  const by = scale / before.scale;
  return { x: x - (x - before.x) * by, y: y - (y - before.y) * by, scale };
}
