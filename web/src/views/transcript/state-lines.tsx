/** Captured states of a span: each in a line that says what changed; the capture itself is folded. */
import { useEffect, useMemo, useState } from 'react';
import type { Reading, StateReading, StateStep } from '../../api/types.ts';
import {
  patchChanges,
  type ShortChange,
  shortChange,
} from '../../model/transcript/state-changes.ts';
import { argumentPairs, isCut } from '../../model/transcript/transcript-text.ts';
import { type Capture, captureKey } from '../../state/state-steps.ts';
import { TRANSCRIPT_TEXT } from '../../texts.ts';
import { useCell, useRow } from '../parts/context.ts';
import { ActionIcon } from '../parts/icons.tsx';
import { PayloadView } from '../parts/values/payload.tsx';
import { VisibleText } from '../parts/visible-text.tsx';
import { Pairs } from './pairs.tsx';
import { useReading } from './reading-context.ts';

interface StateLinesProps {
  readonly reading: Reading;
  /** Which of them to show; all by default. */
  readonly isThen?: (state: StateReading) => boolean;
}

export function StateLines({ reading, isThen = () => true }: StateLinesProps) {
  const { trace } = useReading();
  const epoch_ns = useCell(trace.epoch_ns) ?? '0';
  const { trace_id, span_id, state: all } = reading;
  return all.map((state, at) => {
    if (!isThen(state)) return null;
    const later = all.slice(at + 1).filter(({ name }) => name === state.name).length;
    return (
      <StateLine
        key={`${state.name} ${state.offset_ns}`}
        capture={{ trace_id, span_id, state, later, epoch_ns }}
      />
    );
  });
}

function StateLine({ capture }: { readonly capture: Capture }) {
  const { state } = capture;
  const [isOpen, setOpen] = useState(false);
  const clip = state.patch ?? state.value;
  const step = useStep(capture);
  return (
    <div className="ins-tx__state">
      <button
        type="button"
        className="ins-tx__fold"
        tabIndex={-1}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <ActionIcon name="caret" />
        <span>
          {TRANSCRIPT_TEXT.state}{' '}
          <strong>
            <VisibleText text={state.name} />
          </strong>{' '}
          <WhatChanged state={state} step={step} />
          {state.description !== null && (
            <>
              , <VisibleText text={state.description} />
            </>
          )}
        </span>
      </button>
      {isOpen && clip !== null && (
        <PayloadView
          payload={{
            text: clip.text,
            is_json: clip.is_json && !isCut(clip),
            is_truncated: clip.is_truncated,
            original_bytes: null,
          }}
          what={TRANSCRIPT_TEXT.theState(state.name)}
        />
      )}
    </div>
  );
}

/** Limit of spans of a session in which the service looks for the step before. */
const MAX_SPANS = 5000;

function useStep(capture: Capture): StateStep | undefined {
  const { states, trace } = useReading();
  const key = captureKey(capture);
  const isWanted = trace.spans.size <= MAX_SPANS;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key and the place name the capture
  useEffect(
    () => (isWanted ? states.want(capture) : undefined),
    [states, key, capture.later, isWanted],
  );
  return useRow(states.steps, key);
}

const MAX_CHANGES = 3;

interface WhatChangedProps {
  readonly state: StateReading;
  /** Undefined: it is not read yet, or cannot be. */
  readonly step: StateStep | undefined;
}

function WhatChanged({ state, step }: WhatChangedProps) {
  const { patch, value } = state;
  const steps = useMemo(() => {
    if (step?.changes != null) return step.changes.map(shortChange);
    return patch === null ? undefined : patchChanges(patch.text);
  }, [step, patch]);
  if (steps !== undefined) {
    // The service counts no changes where it does not know the state before.
    const count = step?.changes == null ? steps.length : step.change_count;
    return <Changes changes={steps} count={count} />;
  }
  if (step?.position === 0) {
    const pairs = value === null ? undefined : argumentPairs(value);
    return (
      <>
        {TRANSCRIPT_TEXT.stateFirst} {pairs !== undefined && <Pairs pairs={pairs} />}
      </>
    );
  }
  return TRANSCRIPT_TEXT.stateCaptured;
}

interface ChangesProps {
  readonly changes: readonly ShortChange[];
  readonly count: number;
}

function Changes({ changes, count }: ChangesProps) {
  if (count === 0) return TRANSCRIPT_TEXT.stateSame;
  return (
    <>
      {changes.slice(0, MAX_CHANGES).map((change, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: changes have no identity but their place
        <span key={at} className="ins-tx__change" dir="ltr">
          {change.op !== 'replace' && (change.op === 'add' ? '+ ' : '− ')}
          <span className="ins-tx__key">
            <VisibleText text={change.path === '' ? TRANSCRIPT_TEXT.stateWhole : change.path} />
          </span>{' '}
          {change.before !== undefined && (
            <del>
              <VisibleText text={change.before} />
            </del>
          )}
          {change.op === 'replace' && ' → '}
          {change.after !== undefined && (
            <ins>
              <VisibleText text={change.after} />
            </ins>
          )}
        </span>
      ))}
      {count > MAX_CHANGES && ` ${TRANSCRIPT_TEXT.stateMore(count - MAX_CHANGES)}`}
    </>
  );
}
