/** What sessions used, from the service. */
import { useCallback, useMemo } from 'react';
import type { SessionUsage, UsageKey } from '../../api/types.ts';
import { boundsOf, type TimeRange } from '../../model/sessions/time-range.ts';
import type { Filter } from '../../model/sessions/usage-groups.ts';
import { useInspector } from '../parts/context.ts';
import { useAnswer } from '../parts/use-answer.ts';

export interface Question extends Filter {
  readonly by: UsageKey;
}

export function useUsage(by: UsageKey, query: string, range: TimeRange) {
  const { api, clock } = useInspector();
  const question = useMemo((): Question => ({ by, query, range }), [by, query, range]);
  const ask = useCallback(
    ({ by, query, range }: Question, signal: AbortSignal): Promise<SessionUsage> => {
      const q = query === '' ? {} : { q: query };
      return api.usage({ by, ...q, ...boundsOf(range, clock.now_ms()) }, signal);
    },
    [api, clock],
  );
  const { found, ...state } = useAnswer(question, ask);
  return { ...state, found: found && { question: found.question, usage: found.answer } };
}
