/** Context for the parts of an entry. */
import { createContext, useContext } from 'react';
import type { KeyedStore } from '../../state/keyed-store.ts';
import type { StateSteps } from '../../state/state-steps.ts';
import type { Trace } from '../../state/trace.ts';
import type { Read } from '../../state/transcript.ts';

export interface ReadingPlace {
  readonly trace: Trace;
  readonly reads: KeyedStore<Read>;
  readonly states: StateSteps;
  readonly spanKey: string;
  /** Whether texts are shown as sent. */
  readonly isRaw: boolean;
  /** Show a span in the panel. */
  readonly onOpen: (key: string) => void;
  /** Go to the entry of a span. */
  readonly onGoTo: (key: string) => void;
}

export const ReadingContext = createContext<ReadingPlace | undefined>(undefined);

export function useReading(): ReadingPlace {
  const place = useContext(ReadingContext);
  if (place === undefined) throw new Error('A part of an entry was mounted outside of one.');
  return place;
}
