/** What can be answered. Each button says what will happen; none can be pressed by accident. */
import { useMemo } from 'react';
import type { Answer, Request } from '../../api/types.ts';
import { initialValues, payloadOf } from '../../model/form.ts';
import { allowLabel, alwaysLabel, denyLabel } from '../../model/request.ts';
import type { Draft } from '../../state/drafts.ts';
import { useInspector, useRow } from '../context.ts';
import { ArmedButton } from './armed-button.tsx';
import { canBeSent, type EditCheck } from './edit-check.ts';
import { fieldsOf, QuestionForm } from './question-form.tsx';

interface AnswerButtonsProps {
  readonly request: Request;
  readonly draft: Draft;
  readonly check: EditCheck | undefined;
}

export function AnswerButtons(props: AnswerButtonsProps) {
  const { request } = props;
  const { requests } = useInspector();
  const sending = useRow(requests.sending, request.id);
  return (
    <>
      {request.kind === 'question' ? <Question {...props} /> : <Verdicts {...props} />}
      {sending !== undefined && (
        <p
          className={`ins-request__${sending.kind === 'failed' ? 'problem' : 'note'}`}
          role={sending.kind === 'failed' ? 'alert' : 'status'}
        >
          {sending.kind === 'failed' ? sending.message : 'Sending …'}
        </p>
      )}
    </>
  );
}

function useAnswer(request: Request): (answer: Answer) => void {
  const { requests, drafts } = useInspector();
  return (answer) => {
    const named = request.args_hash === null ? {} : { args_hash: request.args_hash };
    void requests.answer(request.id, { ...answer, ...named }).then((hasWon) => {
      // What was not sent can still be copied.
      if (hasWon) drafts.drop(request.id);
    });
  };
}

/** What is granted: the row as it is now, with this text. Another object for each. */
function useDrawn(request: Request, text: string | undefined): object {
  return useMemo(() => ({ request, text }), [request, text]);
}

/** Allow, always allow, deny; of a breakpoint continue, step, cancel. */
function Verdicts({ request, draft, check }: AnswerButtonsProps) {
  const { drafts } = useInspector();
  const answer = useAnswer(request);
  const edit = editOf(draft, check);
  const drawn = useDrawn(request, edit.kind === 'edited' ? edit.text : undefined);
  const isBreakpoint = request.kind === 'breakpoint';
  const editCount = edit.kind === 'edited' ? edit.count : 0;
  if (draft.isDenying) return <Denying request={request} draft={draft} />;
  return (
    <div className="ins-request__answers">
      <ArmedButton
        of={drawn}
        look="allow"
        isTarget
        isDisabled={edit.kind === 'unclear'}
        title={
          edit.kind === 'unclear' ? 'The edited arguments cannot be sent: see above' : undefined
        }
        onPress={() =>
          answer(
            edit.kind === 'edited'
              ? { decision: 'allow', args_json: edit.text }
              : { decision: 'allow' },
          )
        }
      >
        {edit.kind === 'unclear' ? 'Allow with edits' : allowLabel(request, editCount)}
      </ArmedButton>
      {request.can_always && edit.kind === 'none' && (
        <ArmedButton of={request} look="plain" onPress={() => answer({ decision: 'allow_always' })}>
          {alwaysLabel(request)}
        </ArmedButton>
      )}
      {isBreakpoint && edit.kind === 'none' && <StepButton request={request} onStepped={answer} />}
      {isBreakpoint ? (
        <CancelSession request={request} />
      ) : (
        <button
          type="button"
          className="ins-answer ins-answer--plain ins-answer--armed"
          onClick={() => drafts.change(request.id, { isDenying: true })}
        >
          Deny…
        </button>
      )}
    </div>
  );
}

type Edit =
  | { readonly kind: 'none' }
  | { readonly kind: 'edited'; readonly text: string; readonly count: number }
  /** Not JSON, or not looked at yet: it cannot be sent. */
  | { readonly kind: 'unclear' };

function editOf({ args }: Draft, check: EditCheck | undefined): Edit {
  if (args === undefined) return { kind: 'none' };
  if (check === undefined || !canBeSent(check)) return { kind: 'unclear' };
  const count = check.diff.editCount;
  return count === 0 ? { kind: 'none' } : { kind: 'edited', text: check.of, count };
}

function Denying({ request, draft }: { readonly request: Request; readonly draft: Draft }) {
  const { drafts } = useInspector();
  const answer = useAnswer(request);
  const reason = draft.reason.trim();
  return (
    <div className="ins-request__answers">
      <label className="ins-request__reason">
        <span>Reason, for the agent</span>
        <input
          // biome-ignore lint/a11y/noAutofocus: the reader has just asked for this field
          autoFocus
          maxLength={4000}
          value={draft.reason}
          onChange={(event) => drafts.change(request.id, { reason: event.target.value })}
        />
      </label>
      <ArmedButton
        of={request}
        look="danger"
        onPress={() => answer({ decision: 'deny', ...(reason === '' ? {} : { reason }) })}
      >
        {denyLabel(request)}
      </ArmedButton>
      <button
        type="button"
        className="ins-answer ins-answer--plain ins-answer--armed"
        onClick={() => drafts.change(request.id, { isDenying: false })}
      >
        Back
      </button>
    </div>
  );
}

interface StepButtonProps {
  readonly request: Request;
  readonly onStepped: (answer: Answer) => void;
}

/** Go on, and stop at the next operation: the session is paused first, then let go. */
function StepButton({ request, onStepped }: StepButtonProps) {
  const { verbs } = useInspector();
  const step = async () => {
    if (await verbs.give(request.session_id, 'pause')) onStepped({ decision: 'allow' });
  };
  return (
    <ArmedButton
      of={request}
      look="plain"
      title="Runs this, then pauses at the next operation"
      onPress={() => void step()}
    >
      Step
    </ArmedButton>
  );
}

function CancelSession({ request }: { readonly request: Request }) {
  const { verbs } = useInspector();
  return (
    <ArmedButton
      of={request}
      look="danger"
      onPress={() => void verbs.give(request.session_id, 'cancel')}
    >
      Cancel session
    </ArmedButton>
  );
}

function Question({ request, draft }: AnswerButtonsProps) {
  const { drafts } = useInspector();
  const answer = useAnswer(request);
  const fields = useMemo(() => fieldsOf(request), [request]);
  const values = draft.values ?? initialValues(fields);
  const payload = payloadOf(fields, values);
  const drawn = useDrawn(request, payload);
  return (
    <>
      <QuestionForm
        fields={fields}
        values={values}
        isStrict={false}
        onChange={(changed) => drafts.change(request.id, { values: changed })}
      />
      <div className="ins-request__answers">
        <ArmedButton
          of={drawn}
          look="allow"
          isTarget
          isDisabled={payload === undefined}
          title={payload === undefined ? 'Something is missing or wrong above' : undefined}
          onPress={() =>
            payload !== undefined && answer({ decision: 'answer', payload_json: payload })
          }
        >
          {fields.length === 0 ? 'Accept' : 'Send answer'}
        </ArmedButton>
        <ArmedButton of={request} look="plain" onPress={() => answer({ decision: 'decline' })}>
          Decline
        </ArmedButton>
        <ArmedButton of={request} look="plain" onPress={() => answer({ decision: 'cancel' })}>
          Cancel the question
        </ArmedButton>
      </div>
    </>
  );
}
