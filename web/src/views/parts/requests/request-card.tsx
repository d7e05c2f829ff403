/**
 * Card of a request of an agent with its answer: the same component in every view.
 *
 * The request's content is untrusted. It is shown as text only (`visible-text.tsx`), and an answer
 * names the hash of the shown arguments.
 */
import { type KeyboardEvent, memo, useMemo } from 'react';
import { flushSync } from 'react-dom';
import type { Request } from '../../../api/types.ts';
import {
  allowsByItself,
  appliedText,
  defaultName,
  headlineOf,
  isGranted,
  isPending,
  lineOf,
  outcomeOf,
  type Unseen,
  unseenOf,
} from '../../../model/requests/request.ts';
import { formatDuration } from '../../../model/text/format.ts';
import { plainLine } from '../../../model/text/hidden-characters.ts';
import type { TextDiff } from '../../../model/text/text-diff.ts';
import { beginningOf } from '../../../model/text/text-parts.ts';
import { type Draft, NO_DRAFT } from '../../../state/drafts.ts';
import { sessionPath, spanPath } from '../../../state/route.ts';
import { allowedIn, REQUEST_TEXT, timeLeft, waitingFor } from '../../../texts.ts';
import { useInspector, useNow, useRow } from '../context.ts';
import { CopyButton } from '../copy-button.tsx';
import { ActionIcon, StatusIcon } from '../icons.tsx';
import { Link } from '../link.tsx';
import { useTimes } from '../times.tsx';
import { VisibleText } from '../visible-text.tsx';
import { AnswerButtons } from './answer-buttons.tsx';
import { ArgumentDiff } from './argument-diff.tsx';
import { Arguments, shownArguments } from './arguments.tsx';
import { DataFrame } from './data-frame.tsx';
import { useEditCheck } from './edit-check.ts';
import './request-card.css';

interface RequestCardProps {
  readonly id: string;
  /** Undefined: always open. */
  readonly onToggle?: ((id: string) => void) | undefined;
  readonly isOpen?: boolean;
  /** Whether to show the session; not where the page shows it anyway. */
  readonly hasSession?: boolean;
}

export const RequestCard = memo(function RequestCard(props: RequestCardProps) {
  const { id, onToggle, isOpen = true, hasSession = false } = props;
  const { requests, drafts } = useInspector();
  const request = useRow(requests.rows, id);
  if (request === undefined) return null;
  const state = stateOf(request);
  const onKeyDown = (event: KeyboardEvent) => {
    const draft = drafts.get(id);
    // The editor closes before what it is in; what was edited is kept.
    if (event.key !== 'Escape' || !draft?.isEditing || draft.args !== undefined) return;
    event.preventDefault();
    drafts.change(id, { isEditing: false });
  };
  return (
    <article
      className={`ins-request ins-request--${state}${isOpen ? ' ins-request--open' : ''}`}
      aria-label={headlineOf(request)}
      data-request={id}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <Head {...{ request, hasSession, isOpen, onToggle }} />
      {isOpen && <Body request={request} />}
    </article>
  );
});

function stateOf(request: Request): string {
  if (!isPending(request)) return 'closed';
  return allowsByItself(request) ? 'pending ins-request--allowing' : 'pending';
}

interface HeadProps {
  readonly request: Request;
  readonly hasSession: boolean;
  readonly isOpen: boolean;
  readonly onToggle: ((id: string) => void) | undefined;
}

function Head({ request, hasSession, isOpen, onToggle }: HeadProps) {
  const [line, name] = [lineOf(request), headlineOf(request)];
  const headline = (
    <>
      <StatusIcon shape={shapeOf(request)} />
      <span className="ins-request__what" title={line === name ? name : `${name}: ${line}`}>
        {isOpen ? name : line}
      </span>
    </>
  );
  return (
    <header className="ins-request__head">
      {onToggle === undefined ? (
        <h2 className="ins-request__headline">{headline}</h2>
      ) : (
        <h2 className="ins-request__headline">
          <button
            type="button"
            aria-expanded={isOpen}
            data-unfolds-answer
            onClick={() => onToggle(request.id)}
          >
            <span className="ins-request__caret">
              <ActionIcon name="caret" />
            </span>
            {headline}
            {!isOpen && <Preview request={request} />}
          </button>
        </h2>
      )}
      {hasSession && (
        <Link
          className="ins-request__session"
          to={sessionPath(request.session_id)}
          title={plainLine(request.session_title) || request.session_id}
        >
          {plainLine(request.session_title, 80) || request.session_id}
        </Link>
      )}
      <span
        className="ins-request__time"
        title={isPending(request) ? undefined : outcomeOf(request)}
      >
        {isPending(request) ? <TimeLeft request={request} /> : outcomeOf(request)}
      </span>
    </header>
  );
}

const PREVIEW_CHARACTERS = 160;

/** The beginning of the request's text, on the line of a folded card. */
function Preview({ request }: { readonly request: Request }) {
  const { args_json, kind, prompt } = request;
  const text = kind === 'question' && prompt !== '' ? prompt : (args_json ?? prompt);
  return (
    <span className="ins-request__preview" dir="ltr" title={plainLine(text, 400)}>
      <VisibleText text={text.slice(0, PREVIEW_CHARACTERS).replace(/\n/g, ' ')} />
    </span>
  );
}

export function shapeOf(request: Request): Parameters<typeof StatusIcon>[0]['shape'] {
  const { status } = request;
  if (status === 'pending') return allowsByItself(request) ? 'allowing' : 'waiting';
  if (status === 'lost') return 'lost';
  if (status === 'withdrawn') return 'cancelled';
  return isGranted(request) ? 'completed' : 'cancelled';
}

/** Countdown by the service's clock; above a minute in whole seconds. */
export function TimeLeft({ request }: { readonly request: Request }) {
  const { clock } = useInspector();
  useNow(1000);
  const waited_ms = clock.now_ms() - Date.parse(request.created_at);
  if (request.expires_at === null) {
    return <>{waitingFor(wholeSeconds(waited_ms))}</>;
  }
  const left_ms = Date.parse(request.expires_at) - clock.now_ms();
  if (left_ms <= 0) return <strong>{REQUEST_TEXT.timeIsUp}</strong>;
  const left = wholeSeconds(left_ms);
  if (allowsByItself(request)) {
    return (
      <strong className="ins-request__allowing" title={REQUEST_TEXT.allowingTitle}>
        {allowedIn(left, defaultName(request))}
      </strong>
    );
  }
  const text = timeLeft(left, defaultName(request));
  return (
    <span className={left_ms < 30_000 ? 'ins-request__soon' : undefined} title={text}>
      {text}
    </span>
  );
}

function wholeSeconds(ms: number): string {
  return formatDuration(Math.max(0, Math.ceil(ms / 1000)) * 1e9);
}

function Body({ request }: { readonly request: Request }) {
  const { drafts } = useInspector();
  const draft = useRow(drafts, request.id) ?? NO_DRAFT;
  const shown = useMemo(() => shownArguments(request), [request]);
  const check = useEditCheck(shown, draft.args);
  const unseen = isPending(request) ? unseenOf(request, shown, draft.seen) : undefined;
  return (
    <div className="ins-request__body">
      {request.prompt !== '' && <Prompt request={request} draft={draft} unseen={unseen} />}
      <Arguments request={request} draft={draft} shown={shown} check={check} unseen={unseen} />
      {isPending(request) ? (
        <AnswerButtons request={request} draft={draft} check={check} unseen={unseen} />
      ) : (
        <Outcome request={request} draft={draft} />
      )}
      <Facts request={request} />
    </div>
  );
}

interface PromptProps {
  readonly request: Request;
  readonly draft: Draft;
  readonly unseen: Unseen;
}

/** A prompt of ordinary length as text, a longer one in a frame. */
function Prompt({ request, draft, unseen }: PromptProps) {
  const { drafts } = useInspector();
  const text = request.prompt;
  if (beginningOf(text) < text.length || text.length > 2000) {
    return (
      <DataFrame
        text={text}
        what={REQUEST_TEXT.prompt}
        isOpen={draft.seen.includes(text)}
        onOpen={() => drafts.see(request.id, text)}
        isTarget={unseen === REQUEST_TEXT.prompt}
      />
    );
  }
  return (
    <p className="ins-request__prompt" dir="auto">
      <VisibleText text={text} />
    </p>
  );
}

function Facts({ request }: { readonly request: Request }) {
  const { tool_name, interceptor, hook, signal_name, args_hash, id } = request;
  return (
    <details className="ins-request__facts">
      <summary>{REQUEST_TEXT.details}</summary>
      <dl>
        <Fact name={FACT_NAMES.tool} value={tool_name} />
        <Fact name={FACT_NAMES.signal} value={signal_name} />
        <Fact name={FACT_NAMES.source} value={interceptor} />
        <Fact name={FACT_NAMES.hook} value={hook} />
        <Fact name={FACT_NAMES.hash} value={args_hash} />
        <Fact name={FACT_NAMES.id} value={id} />
      </dl>
    </details>
  );
}

const FACT_NAMES = REQUEST_TEXT.facts;

function Fact({ name, value }: { readonly name: string; readonly value: string | null }) {
  if (value === null || value === '') return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <code dir="ltr">
          <VisibleText text={value.slice(0, 500)} />
        </code>
      </dd>
    </div>
  );
}

interface OutcomeProps {
  readonly request: Request;
  readonly draft: Draft;
}

function Outcome({ request, draft }: OutcomeProps) {
  const { answer } = request;
  const { requests } = useInspector();
  const refused = useRow(requests.sending, request.id);
  const times = useTimes();
  return (
    <div className="ins-request__outcome" role="status">
      {refused?.kind === 'failed' && <p className="ins-request__problem">{refused.message}</p>}
      <p>
        <strong>{outcomeOf(request)}</strong>
        {answer !== null && ` (${answer.origin}, ${times.ofDay(answer.at)})`}
        {answer !== null && `: ${appliedText(request)}`}
      </p>
      {answer?.reason != null && answer.reason !== '' && (
        <p className="ins-request__prompt">
          <VisibleText text={answer.reason} />
        </p>
      )}
      {answer?.is_edited && <Edit request={request} diff={draft.sent} />}
      {draft.args !== undefined && (
        <CopyButton text={draft.args} what={REQUEST_TEXT.yourEdit} label={REQUEST_TEXT.copyEdit} />
      )}
    </div>
  );
}

interface EditProps {
  readonly request: Request;
  /** Undefined: it was made elsewhere, or before the page was loaded. */
  readonly diff: TextDiff | undefined;
}

/** What was edited, as far as this page has it: the service keeps no arguments. */
function Edit({ request, diff }: EditProps) {
  const { session_id, trace_id, span_id } = request;
  return (
    <section className="ins-request__edit" aria-label={REQUEST_TEXT.edit}>
      <header>
        <h3>{diff === undefined ? REQUEST_TEXT.editElsewhere : REQUEST_TEXT.edit}</h3>
        {trace_id !== null && span_id !== null && (
          <Link className="ins-link" to={spanPath(session_id, `${trace_id}.${span_id}`)}>
            {REQUEST_TEXT.editSpan}
          </Link>
        )}
      </header>
      {diff !== undefined && <ArgumentDiff diff={diff} />}
    </section>
  );
}

/**
 * Focus the first answer button of the request with the focus, else of any on the page; what hides
 * it is unfolded first.
 */
export function focusAnswer(): void {
  const here = document.activeElement?.closest('[data-request], [data-row]');
  const scope = here?.querySelector(`${TARGET}, ${FOLDED}`) != null ? here : document;
  const find = () => scope.querySelector<HTMLElement>(TARGET);
  if (find() === null) flushSync(() => scope.querySelector<HTMLElement>(FOLDED)?.click());
  find()?.focus();
}

const TARGET = '[data-answer-target]';
const FOLDED = '[data-unfolds-answer][aria-expanded="false"]';
