/**
 * Visualiser: a view of one type of span that shows more than a tree of attributes.
 *
 * To write one, copy the folder `retrieved-documents/`, change it, and add a line to
 * `registry.ts`: `docs/guide/write-a-visualiser.md`.
 */
import type { ComponentType } from 'react';
import type { SpanDetail } from '../../api/types.ts';

/** Adds a tab to the panel of each span that it matches. */
export interface SpanVisualiser {
  /** Id in the address: lower-case letters, digits and hyphens; unique. */
  readonly id: string;
  /** Name of the tab. */
  readonly name: string;
  /** Whether it has something to show; quick, because it runs for every span that is opened. */
  readonly matches: (span: SpanDetail) => boolean;
  /** `lazy`: the code is loaded when a span matches. */
  readonly Shown: ComponentType<SpanShownProps>;
}

export interface SpanShownProps {
  /** The whole span as the service returned it; all of it is untrusted data. */
  readonly span: SpanDetail;
}
