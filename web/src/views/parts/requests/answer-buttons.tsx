/** Buttons of an answer. Each says what will happen; none can be pressed by accident. */
import { useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Answer, Request } from '../../../api/types.ts';
import { initialValues, payloadOf } from '../../../model/requests/form.ts';
import {
  allowLabel,
  alwaysLabel,
  denyLabel,
  type Unseen,
} from '../../../model/requests/request.ts';
import { plainLine } from '../../../model/text/hidden-characters.ts';
import type { TextDiff } from '../../../model/text/text-diff.ts';
import type { Draft } from '../../../state/drafts.ts';
import { FORM_TEXT, REQUEST_TEXT, SESSION_VERB_TEXT } from '../../../texts.ts';
import { useInspector, useRow } from '../context.ts';
import { ArmedButton } from './armed-button.tsx';
import { DenialForm } from './denial-form.tsx';
import { canBeSent, type EditCheck } from './edit-check.ts';
import { fieldsOf, focusMistake, QuestionForm } from './question-form.tsx';

interface AnswerButtonsProps {
  readonly request: Request;
  readonly draft: Draft;
  readonly check: EditCheck | undefined;
  /** Text that was not shown in full: while there is one, nothing can be granted. */
  readonly unseen: Unseen;
}

export function AnswerButtons(props: AnswerButtonsProps) {
  const { request } = props;
  const { requests } = useInspector();
  const sending = useRow(requests.sending, request.id);
  return (
    <>
      {request.kind === 'question' ? <Question {...props} /> : <Verdicts {...props} />}
      {props.unseen !== undefined && (
        <p className="ins-request__note">{REQUEST_TEXT.unseen(props.unseen)}</p>
      )}
      {sending !== undefined && (
        <p
          className={`ins-request__${sending.kind === 'failed' ? 'problem' : 'note'}`}
          role={sending.kind === 'failed' ? 'alert' : 'status'}
        >
          {sending.kind === 'failed' ? sending.message : REQUEST_TEXT.sending}
        </p>
      )}
    </>
  );
}

function useAnswer(request: Request): (answer: Answer, edit?: TextDiff) => void {
  const { requests, drafts } = useInspector();
  return (answer, edit) => {
    const named = request.args_hash === null ? {} : { args_hash: request.args_hash };
    void requests.answer(request.id, { ...answer, ...named }).then((hasWon) => {
      // What was not sent can still be copied.
      if (hasWon) drafts.close(request.id, edit);
    });
  };
}

/** An object that is new for each version of the row and of this text. */
function useDrawn(request: Request, text: string | undefined, unseen: Unseen): object {
  return useMemo(() => ({ request, text, unseen }), [request, text, unseen]);
}

function unseenTitle(unseen: Unseen): string | undefined {
  return unseen === undefined ? undefined : REQUEST_TEXT.showFirst(unseen);
}

/** Buttons to allow, always allow or deny; at a breakpoint to continue, step or cancel. */
function Verdicts({ request, draft, check, unseen }: AnswerButtonsProps) {
  const { drafts } = useInspector();
  const answer = useAnswer(request);
  const edit = editOf(draft, check);
  const drawn = useDrawn(request, edit.kind === 'edited' ? edit.text : undefined, unseen);
  const isBreakpoint = request.kind === 'breakpoint';
  const editCount = edit.kind === 'edited' ? edit.diff.editCount : 0;
  const deny = useRef<HTMLButtonElement>(null);
  if (draft.denying === 'one') {
    return (
      <DenialForm
        of={request}
        label={denyLabel(request)}
        reason={draft.reason}
        onReason={(reason) => drafts.change(request.id, { reason })}
        onDeny={(reason) => answer({ decision: 'deny', ...reason })}
        onBack={() => {
          flushSync(() => drafts.change(request.id, { denying: undefined }));
          deny.current?.focus();
        }}
      />
    );
  }
  return (
    <div className="ins-request__answers">
      <ArmedButton
        of={drawn}
        look="allow"
        isTarget
        isDisabled={edit.kind === 'unclear' || unseen !== undefined}
        title={edit.kind === 'unclear' ? REQUEST_TEXT.cannotSend : unseenTitle(unseen)}
        onPress={() =>
          edit.kind === 'edited'
            ? answer({ decision: 'allow', args_json: edit.text }, edit.diff)
            : answer({ decision: 'allow' })
        }
      >
        {edit.kind === 'unclear' ? REQUEST_TEXT.allowWithEdits : allowLabel(request, editCount)}
      </ArmedButton>
      {request.can_always && edit.kind === 'none' && (
        <ArmedButton
          of={drawn}
          look="plain"
          isDisabled={unseen !== undefined}
          title={unseenTitle(unseen) ?? (plainLine(request.interceptor ?? '', 400) || undefined)}
          onPress={() => answer({ decision: 'allow_always' })}
        >
          {alwaysLabel(request)}
        </ArmedButton>
      )}
      {isBreakpoint && edit.kind === 'none' && (
        <StepButton request={request} unseen={unseen} onStepped={answer} />
      )}
      {isBreakpoint ? (
        <CancelSession request={request} />
      ) : (
        <button
          ref={deny}
          type="button"
          className="ins-answer ins-answer--plain ins-answer--armed"
          onClick={() => drafts.change(request.id, { denying: 'one' })}
        >
          {REQUEST_TEXT.denyMore}
        </button>
      )}
    </div>
  );
}

type Edit =
  | { readonly kind: 'none' }
  | { readonly kind: 'edited'; readonly text: string; readonly diff: TextDiff }
  /** No valid JSON, or not checked yet: it cannot be sent. */
  | { readonly kind: 'unclear' };

function editOf({ args }: Draft, check: EditCheck | undefined): Edit {
  if (args === undefined) return { kind: 'none' };
  if (check === undefined || !canBeSent(check)) return { kind: 'unclear' };
  const { of: text, diff } = check;
  return diff.editCount === 0 ? { kind: 'none' } : { kind: 'edited', text, diff };
}

interface StepButtonProps {
  readonly request: Request;
  readonly unseen: Unseen;
  readonly onStepped: (answer: Answer) => void;
}

/** Button to continue until the next operation: it pauses the session first, then continues it. */
function StepButton({ request, unseen, onStepped }: StepButtonProps) {
  const { verbs } = useInspector();
  const drawn = useDrawn(request, undefined, unseen);
  const step = async () => {
    if (await verbs.give(request.session_id, 'pause')) onStepped({ decision: 'allow' });
  };
  return (
    <ArmedButton
      of={drawn}
      look="plain"
      isDisabled={unseen !== undefined}
      title={unseenTitle(unseen) ?? REQUEST_TEXT.stepTitle}
      onPress={() => void step()}
    >
      {REQUEST_TEXT.step}
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
      {SESSION_VERB_TEXT.stopConfirm}
    </ArmedButton>
  );
}

function Question({ request, draft, unseen }: AnswerButtonsProps) {
  const { drafts } = useInspector();
  const answer = useAnswer(request);
  const fields = useMemo(() => fieldsOf(request), [request]);
  const values = draft.values ?? initialValues(fields);
  const payload = payloadOf(fields, values);
  const drawn = useDrawn(request, payload, unseen);
  const [isStrict, setStrict] = useState(false);
  const form = useRef<HTMLDivElement>(null);
  const showMistake = () => {
    flushSync(() => setStrict(true));
    focusMistake(form.current);
  };
  return (
    <div ref={form} className="ins-request__question">
      <QuestionForm
        fields={fields}
        values={values}
        isStrict={isStrict}
        onChange={(changed) => drafts.change(request.id, { values: changed })}
      />
      <div className="ins-request__answers">
        <ArmedButton
          of={drawn}
          look="allow"
          isTarget
          isDisabled={payload === undefined || unseen !== undefined}
          title={payload === undefined ? FORM_TEXT.mistake : unseenTitle(unseen)}
          onRefused={showMistake}
          onPress={() =>
            payload !== undefined && answer({ decision: 'answer', payload_json: payload })
          }
        >
          {fields.length === 0 ? FORM_TEXT.accept : FORM_TEXT.send}
        </ArmedButton>
        <ArmedButton of={request} look="plain" onPress={() => answer({ decision: 'decline' })}>
          {FORM_TEXT.decline}
        </ArmedButton>
        <ArmedButton of={request} look="plain" onPress={() => answer({ decision: 'cancel' })}>
          {FORM_TEXT.dismiss}
        </ArmedButton>
      </div>
    </div>
  );
}
