import type { ComponentType } from 'react';

/** One component in one state. Each file of `cases/` exports `cases: readonly GalleryCase[]`. */
export interface GalleryCase {
  /** Unique in the gallery: `?case=NAME` shows it alone. */
  readonly name: string;
  /** Of its frame, in px; without it the frame is as high as what it shows. */
  readonly height?: number;
  readonly isPadded?: boolean;
  readonly Shown: ComponentType;
}
