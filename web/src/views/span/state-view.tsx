/** The agent's state step by step: each change, and the whole state after it. */

import { useEffect, useMemo, useState } from 'react';
import type { SpanId } from '../../api/client.ts';
import type { StateDifference, StateStep } from '../../api/types.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import { PARTS_TEXT, partOf, STATE_TEXT } from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { useInspector } from '../parts/context.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { ActionIcon } from '../parts/icons.tsx';
import { TimeOfDay } from '../parts/times.tsx';
import { PayloadView } from '../parts/values/payload.tsx';
import { VisibleText } from '../parts/visible-text.tsx';
import './state-view.css';

interface StateViewProps {
  readonly span: SpanId;
  /** A new value when the span has changed, so that it is read again. */
  readonly version: unknown;
  readonly onSelect: (key: string) => void;
}

interface StepChoice {
  readonly name?: string;
  readonly position?: number;
}

export function StateView({ span, version, onSelect }: StateViewProps) {
  const [choice, setChoice] = useState<StepChoice>({});
  const { step, problem, isLoading } = useStateStep(span, choice, version);
  const actions = useMemo(
    () =>
      [
        [STATE_TEXT.previousAction, ',', step?.previous?.position] as const,
        [STATE_TEXT.nextAction, ';', step?.next?.position] as const,
      ].flatMap(([name, key, position]) =>
        step === undefined || position === undefined
          ? []
          : [{ name, keys: [key], run: () => setChoice({ name: step.name, position }) }],
      ),
    [step],
  );
  useActions(STATE_TEXT.span, actions);
  if (step === undefined) {
    return (
      <p className="ins-none" role={problem === undefined ? 'status' : 'alert'}>
        {problem ?? STATE_TEXT.loading}
      </p>
    );
  }
  const go = (position: number) => setChoice({ name: step.name, position });
  const isHere = step.at.span_id === span.span_id && step.at.trace_id === span.trace_id;
  return (
    <div className="ins-state" aria-busy={isLoading}>
      {step.names.length > 1 && (
        <p className="ins-state__names" role="group" aria-label={STATE_TEXT.list}>
          {step.names.map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === step.name}
              onClick={() => setChoice({ name })}
            >
              <VisibleText text={name} />
            </button>
          ))}
        </p>
      )}
      <header className="ins-state__head">
        <strong>
          <VisibleText text={step.name} />
        </strong>
        <Steps step={step} onGo={go} />
        <TimeOfDay at={step.at.time} />
        {isHere ? (
          <span>{STATE_TEXT.onThisSpan}</span>
        ) : (
          step.at.trace_id !== null &&
          step.at.span_id !== null && (
            <button
              type="button"
              className="ins-link"
              onClick={() =>
                onSelect(
                  spanKey({ trace_id: step.at.trace_id ?? '', span_id: step.at.span_id ?? '' }),
                )
              }
            >
              {STATE_TEXT.onAnotherSpan}
            </button>
          )
        )}
      </header>
      {problem !== undefined && (
        <p className="ins-none" role="alert">
          {problem}
        </p>
      )}
      {step.description !== null && <p>{step.description}</p>}
      {!step.is_complete && <p className="ins-none">{STATE_TEXT.longSession}</p>}
      {step.problem !== null && <p className="ins-state__problem">{step.problem}</p>}
      <Changes step={step} />
      {step.value !== null && (
        <section className="ins-section">
          <h3>
            {STATE_TEXT.fullState} <CopyButton text={step.value.text} what={STATE_TEXT.state} />
          </h3>
          <PayloadView payload={step.value} what={step.name} />
        </section>
      )}
    </div>
  );
}

function useStateStep(span: SpanId, choice: StepChoice, version: unknown) {
  const { api } = useInspector();
  const { session_id, trace_id, span_id } = span;
  const [state, setState] = useState<{ of?: unknown; step?: StateStep; problem?: string }>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: of another version too
  useEffect(() => {
    const loading = new AbortController();
    api.spanState({ session_id, trace_id, span_id }, choice, loading.signal).then(
      (step) => setState({ of: choice, step }),
      (error: unknown) => {
        if (loading.signal.aborted) return;
        const problem = error instanceof Error ? error.message : String(error);
        setState((before) => ({ ...before, of: choice, problem }));
      },
    );
    return () => loading.abort();
  }, [api, session_id, trace_id, span_id, choice, version]);
  return { step: state.step, problem: state.problem, isLoading: state.of !== choice };
}

interface StepsProps {
  readonly step: StateStep;
  readonly onGo: (position: number) => void;
}

function Steps({ step, onGo }: StepsProps) {
  const { previous, next } = step;
  return (
    <span className="ins-state__steps">
      <button
        type="button"
        className="ins-icon-button"
        disabled={previous === null}
        title={STATE_TEXT.previousTitle}
        aria-label={STATE_TEXT.previous}
        onClick={() => previous !== null && onGo(previous.position)}
      >
        <ActionIcon name="up" />
      </button>
      <span>{partOf(step.position + 1, step.count)}</span>
      <button
        type="button"
        className="ins-icon-button"
        disabled={next === null}
        title={STATE_TEXT.nextTitle}
        aria-label={STATE_TEXT.next}
        onClick={() => next !== null && onGo(next.position)}
      >
        <ActionIcon name="down" />
      </button>
    </span>
  );
}

/** Number of changes at first. */
const FIRST = 50;

function Changes({ step }: { readonly step: StateStep }) {
  const [isAll, setAll] = useState(false);
  const { changes, change_count } = step;
  if (changes === null) {
    return step.position === 0 ? <p className="ins-none">{STATE_TEXT.firstCapture}</p> : null;
  }
  if (changes.length === 0) return <p className="ins-none">{STATE_TEXT.unchanged}</p>;
  const shown = isAll ? changes : changes.slice(0, FIRST);
  return (
    <section className="ins-section">
      <h3>{STATE_TEXT.whatChanged}</h3>
      <ol className="ins-state__changes">
        {shown.map((change, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: changes have no identity but their place
          <Change key={`${step.position} ${at}`} change={change} />
        ))}
      </ol>
      {shown.length < change_count && (
        <p className="ins-none">
          {PARTS_TEXT.more(change_count - shown.length)}.{' '}
          {!isAll && (
            <button type="button" className="ins-link" onClick={() => setAll(true)}>
              {STATE_TEXT.show(changes.length)}
            </button>
          )}
        </p>
      )}
    </section>
  );
}

const SIGNS = { add: '+', remove: '−', replace: '~' } as const;
const NAMES = { add: 'added', remove: 'removed', replace: 'changed' } as const;

function Change({ change }: { readonly change: StateDifference }) {
  const { op, path, before, after } = change;
  const isShort = [before, after].every((value) => (value?.text.length ?? 0) <= 60);
  return (
    <li className={`ins-state__change ins-state__change--${op}`}>
      <p>
        <span className="ins-state__sign" title={NAMES[op]}>
          <span aria-hidden="true">{SIGNS[op]}</span>
          <span className="ins-hidden">{NAMES[op]}</span>
        </span>
        <code className="ins-state__path">
          <VisibleText text={path === '' ? STATE_TEXT.wholePath : path} />
        </code>
        <CopyButton text={path} what={STATE_TEXT.path} />
        {isShort && (
          <span className="ins-state__values">
            {before !== null && (
              <del>
                <VisibleText text={before.text} />
              </del>
            )}
            {after !== null && (
              <ins>
                <VisibleText text={after.text} />
              </ins>
            )}
          </span>
        )}
      </p>
      {!isShort && (
        <>
          {before !== null && (
            <div className="ins-state__before">
              <span>{PARTS_TEXT.before}</span>
              <PayloadView payload={before} what={STATE_TEXT.valueBefore} />
            </div>
          )}
          {after !== null && (
            <div>
              <span>{PARTS_TEXT.after}</span>
              <PayloadView payload={after} what={STATE_TEXT.valueAfter} />
            </div>
          )}
        </>
      )}
    </li>
  );
}
