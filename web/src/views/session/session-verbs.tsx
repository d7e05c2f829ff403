/** Pause, resume, step and cancel of a session. Cancelling asks once more, in place. */
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Session, Verb } from '../../api/types.ts';
import { useActions } from '../actions.ts';
import { useInspector, useRow } from '../context.ts';
import { ArmedButton } from '../requests/armed-button.tsx';
import './session-verbs.css';

export function SessionVerbs({ session }: { readonly session: Session }) {
  const { verbs } = useInspector();
  const [isCancelling, setCancelling] = useState(false);
  const given = useRow(verbs, session.id);
  const isPaused = session.status === 'paused';
  const isOpen = isPaused || session.status === 'running' || session.status === 'waiting';
  const group = useRef<HTMLDivElement>(null);
  const actions = useMemo(() => {
    if (!isOpen) return [];
    const run = (verb: Verb) => () => void verbs.give(session.id, verb);
    const ask = () => {
      setCancelling(true);
      // Only to the button, once it is drawn: it is armed some time after that.
      requestAnimationFrame(() => group.current?.querySelector('button')?.focus());
    };
    const standing = isPaused
      ? [
          { name: 'Resume the session', run: run('resume') },
          { name: 'Step: one operation, then pause again', run: run('step') },
        ]
      : [{ name: 'Pause the session', run: run('pause') }];
    return [...standing, { name: 'Cancel the session: to its button', run: ask }];
  }, [isOpen, isPaused, session.id, verbs]);
  useActions('Session', actions);
  useEffect(() => {
    if (!isOpen) setCancelling(false);
  }, [isOpen]);
  const give = (verb: Verb) => () => void verbs.give(session.id, verb);
  if (!isOpen) return null;
  return (
    <div ref={group} className="ins-verbs" role="group" aria-label="Control of the session">
      {given !== undefined && (
        <span
          className={`ins-verbs__said ins-verbs__said--${given.kind}`}
          role={given.kind === 'failed' ? 'alert' : 'status'}
          title={given.kind === 'sending' ? undefined : given.message}
        >
          {given.kind === 'sending' ? `${NAMES[given.verb]} …` : given.message}
        </span>
      )}
      {isCancelling ? (
        <>
          <span>Cancel this session?</span>
          <ArmedButton of={session.id} look="danger" onPress={give('cancel')}>
            Cancel it
          </ArmedButton>
          <VerbButton onClick={() => setCancelling(false)}>Keep it</VerbButton>
        </>
      ) : (
        <>
          {isPaused ? (
            <>
              <VerbButton onClick={give('resume')}>Resume</VerbButton>
              <VerbButton onClick={give('step')} title="One operation, then pause again">
                Step
              </VerbButton>
            </>
          ) : (
            <VerbButton onClick={give('pause')} title="At the next operation">
              Pause
            </VerbButton>
          )}
          <VerbButton onClick={() => setCancelling(true)}>Cancel…</VerbButton>
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

interface VerbButtonProps {
  readonly onClick: () => void;
  readonly title?: string;
  readonly children: string;
}

function VerbButton({ onClick, title, children }: VerbButtonProps) {
  return (
    <button type="button" className="ins-verb" onClick={onClick} title={title}>
      {children}
    </button>
  );
}
