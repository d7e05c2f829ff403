/** An answer about many sessions, asked for again after sessions have changed. */
import { useEffect, useRef, useState } from 'react';
import type { Unsearched } from '../../api/types.ts';
import { failed, type LoadState } from '../../state/sessions.ts';
import { askAgain } from './ask-again.ts';
import { useInspector } from './context.ts';

/** Pause after the last key before a request. */
const TYPING_MS = 250;
/** Least pause between two requests: each may read the whole store. */
const REST_MS = 2000;
const LOADING: LoadState = { kind: 'loading' };

interface Found<Question, Answer> {
  readonly question: Question;
  readonly answer: Answer;
}

interface AnswerState<Question, Answer> {
  /** The last answer: that of the question before until there is a new one. */
  readonly found: Found<Question, Answer> | undefined;
  readonly isCurrent: boolean;
  /** Whether the last request failed, and which. */
  readonly state: LoadState;
}

/** `ask` must stay the same between renderings. */
export function useAnswer<
  Question extends { readonly query: string },
  Answer extends { readonly partial?: readonly Unsearched[] },
>(
  question: Question,
  ask: (question: Question, signal: AbortSignal) => Promise<Answer>,
): AnswerState<Question, Answer> {
  const { sessions } = useInspector();
  const [found, setFound] = useState<Found<Question, Answer>>();
  const [last, setLast] = useState<{ readonly question: Question; readonly state: LoadState }>();
  const typed = useRef(question.query);
  useEffect(() => {
    const tryOnce = async (signal: AbortSignal) => {
      try {
        const answer = await ask(question, signal);
        setFound({ question, answer });
        setLast({ question, state: { kind: 'ready' } });
        return answer.partial?.length ? 'failed' : true;
      } catch (error) {
        if (signal.aborted) return false;
        const state = failed(error);
        setLast({ question, state });
        return (state.kind === 'failed' && state.problem?.code === 'bad_query') || 'failed';
      }
    };
    let stop = () => {};
    const begin = () => {
      stop = askAgain(sessions.rows, REST_MS, tryOnce);
    };
    const timer = setTimeout(begin, typed.current === question.query ? 0 : TYPING_MS);
    typed.current = question.query;
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [sessions, question, ask]);
  const state = last?.question === question ? last.state : LOADING;
  return { found, isCurrent: found?.question === question, state };
}
