/** Visualisers as tabs of the span panel. */
import type { SpanDetail } from '../../api/types.ts';
import { Guarded } from '../parts/guarded.tsx';
import { SPAN_VISUALISERS } from './registry.ts';
import type { SpanVisualiser } from './visualiser.ts';

export type VisualiserTab = `show-${string}`;

/** Tabs of the visualisers that match. */
export function visualiserTabs(
  span: SpanDetail,
  all: readonly SpanVisualiser[] = SPAN_VISUALISERS,
): readonly (readonly [tab: VisualiserTab, name: string])[] {
  return all
    .filter(({ matches }) => isMatch(matches, span))
    .map(({ id, name }) => [`show-${id}`, name]);
}

/** Whether `matches` returns true; a predicate that throws matches nothing. */
function isMatch<T>(matches: (value: T) => boolean, value: T): boolean {
  try {
    return matches(value);
  } catch {
    return false;
  }
}

export function isVisualiserTab(tab: string): tab is VisualiserTab {
  return tab.startsWith('show-');
}

interface VisualisedSpanProps {
  readonly tab: VisualiserTab;
  readonly span: SpanDetail;
  readonly all?: readonly SpanVisualiser[];
}

export function VisualisedSpan({ tab, span, all = SPAN_VISUALISERS }: VisualisedSpanProps) {
  const found = all.find(({ id }) => `show-${id}` === tab);
  if (found === undefined) return null;
  return (
    // Another span is another try.
    <Guarded key={`${tab} ${span.trace_id}.${span.span_id}`} name={found.name}>
      <found.Shown span={span} />
    </Guarded>
  );
}
