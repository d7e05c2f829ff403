/** Properties and times of entries of every type. */
import type { SpanRow } from '../../api/types.ts';
import { formatDuration, formatRunning } from '../../model/text/format.ts';
import { endOffset } from '../../model/trace/span-status.ts';
import type { Entry, TranscriptLayout } from '../../model/transcript/transcript.ts';
import type { Trace } from '../../state/trace.ts';
import type { ReadingStores } from '../../state/transcript.ts';
import { useTraceNow } from '../parts/context.ts';

export interface EntryProps {
  readonly trace: Trace;
  readonly readings: ReadingStores;
  readonly layout: TranscriptLayout;
  readonly entry: Entry;
  readonly index: number;
  readonly count: number;
  readonly isCursor: boolean;
  readonly isSelected: boolean;
  readonly isMatch: boolean;
  /** Whether the reader unfolded it: its texts are shown in full. */
  readonly isOpen: boolean;
  readonly isRaw: boolean;
  /** Keys of waiting spans inside it. */
  readonly waiting: readonly string[];
  readonly onPick: (id: string) => void;
  readonly onOpen: (key: string) => void;
  readonly onGoTo: (key: string) => void;
  readonly onFold: (entry: Entry, isFolded: boolean) => void;
  readonly measure: (element: Element | null) => void;
}

export function Took({ trace, row }: { readonly trace: Trace; readonly row: SpanRow }) {
  const now_ns = useTraceNow(trace, row.status === 'running' ? 500 : undefined);
  if (row.status === 'lost') return 'lost';
  if (row.duration_ns !== null) return formatDuration(row.duration_ns);
  return formatRunning(endOffset(row, now_ns) - row.offset_ns);
}
