/** Properties of each view of a session. */
import type { Trace } from '../../state/trace.ts';

export interface SessionViewProps {
  readonly trace: Trace;
  /** `spanKey` of the span that the panel shows. */
  readonly selected: string | undefined;
  readonly onSelect: (key: string | undefined) => void;
}
