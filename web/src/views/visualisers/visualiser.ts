/**
 * Visualiser: it shows one sort of span better than a tree of attributes can.
 *
 * To write one, copy the folder `retrieved-documents/`, change it, and add a line to
 * `registry.ts`: `docs/guide/write-a-visualiser.md`.
 */
import type { ComponentType } from 'react';
import type { SpanDetail } from '../../api/types.ts';

/** A tab more in the panel of each span that it matches. */
export interface SpanVisualiser {
  /** In the address: lower-case letters, digits and hyphens; of no other visualiser. */
  readonly id: string;
  /** On its tab. */
  readonly name: string;
  /** Whether it has something to show; quick, for it is asked of every span that is opened. */
  readonly matches: (span: SpanDetail) => boolean;
  /** `lazy`: its code is loaded when a span matches. */
  readonly Shown: ComponentType<SpanShownProps>;
}

export interface SpanShownProps {
  /** The whole span as the service has read it; everything in it is data from elsewhere. */
  readonly span: SpanDetail;
}
