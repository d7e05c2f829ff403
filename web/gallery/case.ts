import type { ComponentType } from 'react';

/** A component in one state. Each file of `cases/` exports `cases: readonly GalleryCase[]`. */
export interface GalleryCase {
  /** Unique in the gallery: `?case=NAME` shows it alone. */
  readonly name: string;
  /** Height of the frame, px; by default that of its content. */
  readonly height?: number;
  readonly isPadded?: boolean;
  readonly Shown: ComponentType;
}
