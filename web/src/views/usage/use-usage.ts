/** What sessions used, from the service, asked for again after sessions have changed. */
import { useEffect, useMemo, useRef, useState } from 'react';
import type { SessionUsage, UsageKey } from '../../api/types.ts';
import { boundsOf, type TimeRange } from '../../model/sessions/time-range.ts';
import type { Filter } from '../../model/sessions/usage-groups.ts';
import { failed, type LoadState } from '../../state/sessions.ts';
import { askAgain } from '../parts/ask-again.ts';
import { useInspector } from '../parts/context.ts';

/** Pause after the last key before a request. */
const TYPING_MS = 250;
/** Least pause between two requests: each may read the whole store. */
const REST_MS = 2000;

export interface Question extends Filter {
  readonly by: UsageKey;
}

interface FoundUsage {
  readonly question: Question;
  readonly usage: SessionUsage;
}

interface UsageState {
  /** The last answer: that of the question before until there is a new one. */
  readonly found: FoundUsage | undefined;
  readonly isCurrent: boolean;
  /** Whether the last request failed, and which. */
  readonly state: LoadState;
}

const LOADING: LoadState = { kind: 'loading' };

export function useUsage(by: UsageKey, query: string, range: TimeRange): UsageState {
  const { api, clock, sessions } = useInspector();
  const question = useMemo((): Question => ({ by, query, range }), [by, query, range]);
  const [found, setFound] = useState<FoundUsage>();
  const [last, setLast] = useState<{ readonly question: Question; readonly state: LoadState }>();
  const typed = useRef(query);
  useEffect(() => {
    const ask = async (signal: AbortSignal) => {
      try {
        const q = question.query === '' ? {} : { q: question.query };
        const bounds = boundsOf(question.range, clock.now_ms());
        const usage = await api.usage({ by: question.by, ...q, ...bounds }, signal);
        setFound({ question, usage });
        setLast({ question, state: { kind: 'ready' } });
        return true;
      } catch (error) {
        if (signal.aborted) return false;
        const state = failed(error);
        setLast({ question, state });
        return state.kind === 'failed' && state.problem?.code === 'bad_query';
      }
    };
    let stop = () => {};
    const begin = () => {
      stop = askAgain(sessions.rows, REST_MS, ask);
    };
    const timer = setTimeout(begin, typed.current === question.query ? 0 : TYPING_MS);
    typed.current = question.query;
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [api, clock, sessions, question]);
  const state = last?.question === question ? last.state : LOADING;
  return { found, isCurrent: found?.question === question, state };
}
