/** Context of the span that the panel shows. */
import { createContext, useContext } from 'react';
import type { SpanId } from '../../../api/client.ts';
import type { Clamped } from '../../../api/types.ts';
import type { Cuts } from '../../../model/trace/cuts.ts';

interface ShownSpan {
  readonly id: SpanId;
  readonly cuts: Cuts;
  /** Whether values are shown as sent, instead of as a tree or formatted. */
  readonly isRaw: boolean;
}

/** Undefined outside the panel, where every value is whole. */
export const ShownSpanContext = createContext<ShownSpan | undefined>(undefined);

export function useShownSpan(): ShownSpan | undefined {
  return useContext(ShownSpanContext);
}

/** The truncated value of `holder`, with its full length; undefined if it is whole. */
export function useCut(holder: object): Clamped | undefined {
  return useShownSpan()?.cuts.of(holder);
}
