/**
 * Buttons to pause, resume, step and cancel a session. Cancelling asks for confirmation, in place.
 */
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Session, Verb } from '../../api/types.ts';
import { useActions } from '../parts/actions.ts';
import { useInspector, useRow } from '../parts/context.ts';
import { ArmedButton } from '../parts/requests/armed-button.tsx';
import './session-verbs.css';

export function SessionVerbs({ session }: { readonly session: Session }) {
  const { verbs } = useInspector();
  const [isCancelling, setCancelling] = useState(false);
  const state = useRow(verbs, session.id);
  // Also one that waits for a person: `waiting` is what its status says then.
  const isPaused = session.paused_since !== null;
  const isOpen =
    session.status === 'paused' || session.status === 'running' || session.status === 'waiting';
  const group = useRef<HTMLDivElement>(null);
  const actions = useMemo(() => {
    if (!isOpen) return [];
    // Only to the button: it is armed some time after it was drawn, and after the last other key.
    const lead = (name: string) => () =>
      requestAnimationFrame(() => {
        const buttons = group.current?.querySelectorAll('button') ?? [];
        [...buttons].find((button) => button.textContent === name)?.focus();
      });
    const leadToCancel = () => {
      setCancelling(true);
      lead(CANCEL)();
    };
    return [
      ...(isPaused ? (['resume', 'step'] as const) : (['pause'] as const)).map((verb) => ({
        name: `${LABELS[verb]} the session: to its button`,
        run: lead(LABELS[verb]),
      })),
      { name: 'Cancel the session: to its button', run: leadToCancel },
    ];
  }, [isOpen, isPaused]);
  useActions('Session', actions);
  useEffect(() => {
    if (!isOpen) setCancelling(false);
  }, [isOpen]);
  const give = (verb: Verb) => () => void verbs.give(session.id, verb);
  if (!isOpen) return null;
  return (
    <div ref={group} className="ins-verbs" role="group" aria-label="Control of the session">
      {state !== undefined && (
        <span
          className={`ins-verbs__said ins-verbs__said--${state.kind}`}
          role={state.kind === 'failed' ? 'alert' : 'status'}
          title={state.kind === 'sending' ? undefined : state.message}
        >
          {state.kind === 'sending' ? `${NAMES[state.verb]} …` : state.message}
        </span>
      )}
      {isCancelling ? (
        <>
          <span>Cancel this session?</span>
          <ArmedButton of={session.id} look="danger" onPress={give('cancel')}>
            {CANCEL}
          </ArmedButton>
          <button type="button" className="ins-verb" onClick={() => setCancelling(false)}>
            Keep it
          </button>
        </>
      ) : (
        <>
          {(isPaused ? (['resume', 'step'] as const) : (['pause'] as const)).map((verb) => (
            <ArmedButton
              key={verb}
              of={session.id}
              look="plain"
              title={TITLES[verb]}
              onPress={give(verb)}
            >
              {LABELS[verb]}
            </ArmedButton>
          ))}
          <button type="button" className="ins-verb" onClick={() => setCancelling(true)}>
            Cancel…
          </button>
        </>
      )}
    </div>
  );
}

const NAMES: Readonly<Record<Verb, string>> = {
  pause: 'Pausing',
  resume: 'Resuming',
  step: 'Stepping',
  cancel: 'Cancelling',
};

const CANCEL = 'Cancel it';

const LABELS = { pause: 'Pause', resume: 'Resume', step: 'Step' } as const;

const TITLES = {
  pause: 'At the next operation',
  resume: undefined,
  step: 'One operation, then pause again',
} as const;
