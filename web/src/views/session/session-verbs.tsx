/** Buttons to pause, resume, step and stop a session. Stopping asks for confirmation. */
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Session, Verb } from '../../api/types.ts';
import { SESSION_TEXT, SESSION_VERB_TEXT, VERB_LABELS, VERB_SENDING } from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { useInspector, useRow } from '../parts/context.ts';
import { AlertQuestion } from '../parts/popups/popup-button.tsx';
import { ArmedButton } from '../parts/requests/armed-button.tsx';
import './session-verbs.css';

const NOTICE_MS = 6000;

export function SessionVerbs({ session }: { readonly session: Session }) {
  const { verbs } = useInspector();
  const [isAsking, setAsking] = useState(false);
  const state = useRow(verbs, session.id);
  // Also one that waits for a person: `waiting` is what its status says then.
  const isPaused = session.paused_since !== null;
  // Without a process that reports that it lives, nobody takes a command.
  const isOpen =
    session.silent_since === null && ['paused', 'running', 'waiting'].includes(session.status);
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
        <span key={verb} data-verb={verb}>
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

const TITLES = {
  pause: SESSION_VERB_TEXT.pauseTitle,
  resume: undefined,
  step: SESSION_VERB_TEXT.stepTitle,
} as const;
