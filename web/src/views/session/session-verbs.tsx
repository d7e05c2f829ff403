/** Buttons to pause, resume, step and stop a session. Stopping asks for confirmation. */
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Session, Verb } from '../../api/types.ts';
import { goesOn } from '../../model/trace/span-status.ts';
import { KeyedStore } from '../../state/keyed-store.ts';
import { SESSION_TEXT, SESSION_VERB_TEXT, VERB_LABELS, VERB_SENDING } from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { askAgain } from '../parts/ask-again.ts';
import { useInspector, useRow } from '../parts/context.ts';
import { AlertQuestion } from '../parts/popups/popup-button.tsx';
import { ArmedButton } from '../parts/requests/armed-button.tsx';
import './session-verbs.css';

const NOTICE_MS = 6000;
/** Least pause between two requests whether somebody listens. */
const REST_MS = 2000;

export function SessionVerbs({ session }: { readonly session: Session }) {
  const { verbs } = useInspector();
  const [isAsking, setAsking] = useState(false);
  const state = useRow(verbs, session.id);
  // Also one that waits for a person: `waiting` is what its status says then.
  const isPaused = session.paused_since !== null;
  const isOpen = useListened(session);
  const group = useRef<HTMLDivElement>(null);
  const stop = useRef<HTMLButtonElement>(null);
  const actions = useMemo(() => {
    if (!isOpen) return [];
    // Only to the button: it is armed some time after it was drawn, and after the last other key.
    const lead = (verb: Verb) => () =>
      group.current?.querySelector<HTMLElement>(`[data-verb=${verb}] button`)?.focus();
    return [
      ...(isPaused ? (['resume', 'step'] as const) : (['pause'] as const)).map((verb) => ({
        name: `${VERB_LABELS[verb]} session…`,
        run: lead(verb),
      })),
      { name: SESSION_VERB_TEXT.toStop, run: () => setAsking(true) },
    ];
  }, [isOpen, isPaused]);
  useActions('Session', actions);
  useEffect(() => {
    if (!isOpen) setAsking(false);
  }, [isOpen]);
  const [shown, setShown] = useState<unknown>();
  useEffect(() => {
    setShown(state);
    if (state?.kind !== 'told') return;
    const timer = setTimeout(() => setShown(undefined), NOTICE_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const give = (verb: Verb) => () => void verbs.give(session.id, verb);
  if (!isOpen) return null;
  return (
    <div ref={group} className="ins-verbs" role="group" aria-label={SESSION_TEXT.controls}>
      {state !== undefined && state === shown && (
        <span
          className={`ins-verbs__said ins-verbs__said--${state.kind}`}
          role={state.kind === 'failed' ? 'alert' : 'status'}
        >
          {state.kind === 'sending' ? VERB_SENDING[state.verb] : state.message}
        </span>
      )}
      {([isPaused ? 'resume' : 'pause', 'step'] as const).map((verb) => (
        // One button for both, so that it keeps the focus.
        <span key={verb === 'step' ? verb : 'hold'} data-verb={verb}>
          <ArmedButton
            of={`${session.id} ${verb}`}
            look="plain"
            title={TITLES[verb]}
            isDisabled={verb === 'step' && !isPaused}
            onPress={give(verb)}
          >
            {VERB_LABELS[verb]}
          </ArmedButton>
        </span>
      ))}
      <button ref={stop} type="button" className="ins-verb" onClick={() => setAsking(true)}>
        {SESSION_VERB_TEXT.stop}
      </button>
      {isAsking && (
        <AlertQuestion
          title={SESSION_VERB_TEXT.stopQuestion}
          confirm={SESSION_VERB_TEXT.stopConfirm}
          keep={SESSION_VERB_TEXT.stopKeep(isPaused ? 'paused' : session.status)}
          of={session.id}
          back={stop}
          onConfirm={give('cancel')}
          onClose={() => setAsking(false)}
        >
          {SESSION_VERB_TEXT.stopMore}
        </AlertQuestion>
      )}
    </div>
  );
}

/** Whether a process takes commands for a session: asked for again as that changes, or until one does. */
function useListened(session: Session): boolean {
  const { api } = useInspector();
  const { id } = session;
  // Without a process that reports that it lives, nobody takes a command.
  const isOver = !goesOn(session.status) || session.silent_since !== null;
  const [isListened, setListened] = useState(false);
  const [seen] = useState(() => new KeyedStore<Session>());
  useEffect(() => seen.commit([[id, session]]), [seen, id, session]);
  useEffect(() => {
    if (isOver) return;
    const ask = async (signal: AbortSignal) => {
      if (document.visibilityState === 'hidden') return false;
      const answer = await api.listeners(id, signal).catch(() => undefined);
      if (answer === undefined || signal.aborted) return false;
      setListened(answer.processes.length > 0);
      return answer.processes.length > 0;
    };
    const stop = askAgain(seen, REST_MS, ask);
    return () => {
      stop();
      setListened(false);
    };
  }, [api, id, isOver, seen]);
  return isListened;
}

const TITLES = {
  pause: SESSION_VERB_TEXT.pauseTitle,
  resume: undefined,
  step: SESSION_VERB_TEXT.stepTitle,
} as const;
