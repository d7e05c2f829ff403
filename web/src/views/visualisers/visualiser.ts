/**
 * What a visualiser is: it shows one sort of span better than a tree of attributes can.
 *
 * To write one, copy the folder `retrieved-documents/`, change it, and add a line to
 * `registry.ts`: `docs/guide/write-a-visualiser.md`.
 */
import type { ComponentType } from 'react';
import type { SpanDetail, SpanRow } from '../../api/types.ts';
import type { SessionViewProps } from '../session/session-views.tsx';

interface Described {
  /** In the address: lower-case letters, digits and hyphens; of no other visualiser. */
  readonly id: string;
  /** On its tab. */
  readonly name: string;
}

/** A tab more in the panel of each span that it matches. */
export interface SpanVisualiser extends Described {
  /** Whether it has something to show; quick, for it is asked of every span that is opened. */
  readonly matches: (span: SpanDetail) => boolean;
  /** `lazy`: its code is loaded when a span matches. */
  readonly Shown: ComponentType<SpanShownProps>;
}

export interface SpanShownProps {
  /** The whole span as the service has read it; everything in it is data from elsewhere. */
  readonly span: SpanDetail;
}

/** A view of the whole session, for sessions that have a span that it matches. */
export interface SessionVisualiser extends Described {
  /** Of rows, which is what is known of spans that nobody opened. */
  readonly matches: (span: SpanRow) => boolean;
  /** What is said when no span matches: what would have to be there. */
  readonly nothing: string;
  readonly Shown: ComponentType<SessionViewProps>;
}
