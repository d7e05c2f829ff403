/** Moments of a span: decisions, questions to a person, state, and the cause of a failure. */
import { useMemo } from 'react';
import type {
  AskedReading,
  DecisionReading,
  Reading,
  SpanDetail,
  SpanRow,
} from '../../api/types.ts';
import { formatJson } from '../../model/json/json-format.ts';
import { decisionName } from '../../model/requests/request.ts';
import { formatDuration } from '../../model/text/format.ts';
import { diffTexts } from '../../model/text/text-diff.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import { failedBefore, isSameError } from '../../model/transcript/repeated-error.ts';
import type { TranscriptLayout } from '../../model/transcript/transcript.ts';
import { argumentPairs, isCut } from '../../model/transcript/transcript-text.ts';
import { by, PARTS_TEXT, TRANSCRIPT_TEXT, timedOut } from '../../texts.ts';
import { useVersion } from '../parts/context.ts';
import { KindIcon, StatusIcon } from '../parts/icons.tsx';
import { ArgumentDiff } from '../parts/requests/argument-diff.tsx';
import { VisibleText } from '../parts/visible-text.tsx';
import { ClipView } from './clip-view.tsx';
import { Pairs } from './pairs.tsx';
import { useReading } from './reading-context.ts';
import { StateLines } from './state-lines.tsx';

/** Error of a tool whose answer is an error: the failure is shown beside its name. */
const SAYS_NOTHING = 'tool_error';

interface ErrorBlockProps {
  readonly reading: Reading;
  /** Whether a span inside says the same, where the reader sees it. */
  readonly isRepeated?: boolean;
}

export function ErrorBlock({ reading, isRepeated = false }: ErrorBlockProps) {
  const { error } = reading;
  if (error === null || isRepeated) return null;
  const type = [...new Set([error.type, error.code])]
    .filter((text) => text !== null && text !== SAYS_NOTHING)
    .join(' ');
  const isMessage = error.message?.text !== error.type;
  return (
    <div className="ins-tx__error">
      <StatusIcon shape="failed" />
      <div>
        {type !== '' && <strong>{type}</strong>}
        {error.message !== null && isMessage && (
          <ClipView
            clip={error.message}
            what={TRANSCRIPT_TEXT.theError}
            whole={({ view }) => view.error?.message ?? undefined}
          />
        )}
        {type === '' && error.message === null && <span>{TRANSCRIPT_TEXT.noReason}</span>}
      </div>
    </div>
  );
}

/** Whether the error of a span repeats that of a span inside of it with an entry of its own. */
export function useIsErrorRepeated(key: string, layout: TranscriptLayout): boolean {
  const { reads } = useReading();
  const before = useMemo(
    () =>
      failedBefore(layout, key).filter(
        (inside) => layout.entries[layout.entryOf.get(inside) ?? -1]?.key === inside,
      ),
    [layout, key],
  );
  useVersion(reads, before.length > 0);
  const error = reads.get(key)?.reading.error ?? null;
  return before.some((inside) => isSameError(reads.get(inside)?.reading.error ?? null, error));
}

interface ConsequenceProps {
  /** Key of the failed span. */
  readonly of: string;
  readonly layout: TranscriptLayout;
  readonly again?: SpanRow | undefined;
}

/** Consequence of a failure: spans that failed with it, or that the agent went on. */
export function Consequence({ of, layout, again }: ConsequenceProps) {
  const { onGoTo } = useReading();
  const above = layout.failedAbove(of);
  const agents = above.filter(({ kind }) => kind === 'agent' || kind === 'workflow');
  const failed = agents.length > 0 ? agents : above;
  const names = failed.map(({ name }) => plainName(name)).join(', then ');
  // What nothing is around of has nobody who could have gone on.
  const hasGoneOn = failed.length === 0 && again === undefined && layout.agentOf.has(of);
  if (failed.length === 0 && again === undefined && !hasGoneOn) return null;
  return (
    <p className="ins-tx__after">
      {failed.length > 0 && TRANSCRIPT_TEXT.consequence(names, layout.isCause(of))}
      {failed.length > 0 && again !== undefined && ' '}
      {hasGoneOn && TRANSCRIPT_TEXT.agentContinued}
      {again !== undefined && (
        <button
          type="button"
          className="ins-link"
          tabIndex={-1}
          onClick={() => onGoTo(spanKey(again))}
        >
          {again.status === 'error' ? TRANSCRIPT_TEXT.retryFailed : TRANSCRIPT_TEXT.retried}
        </button>
      )}
    </p>
  );
}

const OPERATION =
  /^(invoke_agent|invoke_workflow|create_agent|execute_tool|chat|tools\/call) (?=\S)/;

/** A span's name without the operation that conventions put before it. */
export function plainName(name: string): string {
  return name.replace(OPERATION, '') || PARTS_TEXT.noName;
}

interface MomentsProps {
  readonly reading: Reading | undefined;
  /** Exclusive lower bound of the moments, … */
  readonly after_ns?: number;
  /** … and inclusive upper bound. */
  readonly until_ns?: number;
}

/** Decisions, questions and state during a span, or during a part of it. */
export function Moments({ reading, after_ns = -Infinity, until_ns = Infinity }: MomentsProps) {
  if (reading === undefined) return null;
  const isThen = ({ offset_ns }: { readonly offset_ns: number }) =>
    offset_ns > after_ns && offset_ns <= until_ns;
  return (
    <>
      <Decisions decisions={reading.decisions.filter(isThen)} />
      <RequestLines requests={reading.asked.filter(isThen)} />
      <StateLines reading={reading} isThen={isThen} />
    </>
  );
}

export function Decisions({ decisions }: { readonly decisions: readonly DecisionReading[] }) {
  return decisions.map((one, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: decisions have no identity but their place
    <DecisionLine key={at} decision={one} />
  ));
}

function DecisionLine({ decision }: { readonly decision: DecisionReading }) {
  const { action, interceptor, hook, reason, before, after } = decision;
  const isNo = action === 'deny' || action === 'cancel';
  return (
    <div className={`ins-tx__decision${isNo ? ' ins-tx__decision--no' : ''}`}>
      <p>
        <KindIcon kind="guardrail" />
        <strong>{TRANSCRIPT_TEXT.verdicts[action] ?? action}</strong>
        <span>
          {TRANSCRIPT_TEXT.by} <VisibleText text={interceptor ?? hook ?? TRANSCRIPT_TEXT.hook} />
          {reason !== null && ': '}
        </span>
        {reason !== null && (
          <span className="ins-tx__reason">
            <VisibleText text={reason} />
          </span>
        )}
      </p>
      {before !== null && after !== null && !isCut(before) && !isCut(after) && (
        <ArgumentDiff diff={diffTexts(spread(before.text), spread(after.text))} />
      )}
      {before === null && after !== null && (
        <ClipView
          clip={after}
          what={TRANSCRIPT_TEXT.changedValue}
          whole={afterOf(decision)}
          isShort
        />
      )}
    </div>
  );
}

/** JSON with one member per line, so that a diff shows members. */
function spread(text: string): string {
  const formatted = formatJson(text);
  return formatted.isJson ? formatted.text : text;
}

function afterOf({ action }: DecisionReading) {
  return ({ view }: SpanDetail) =>
    view.decisions.find((one) => one.action === action && one.after !== null)?.after?.text;
}

export function RequestLines({ requests }: { readonly requests: readonly AskedReading[] }) {
  return requests
    .filter(({ status }) => status !== 'pending')
    .map((one) => <RequestLine key={`${one.id} ${one.offset_ns}`} request={one} />);
}

function RequestLine({ request }: { readonly request: AskedReading }) {
  const { waited_ns, decision, actor, reason, prompt, is_edited, status, answer } = request;
  const pairs = answer === null ? undefined : argumentPairs(answer);
  const isExpired = status === 'expired';
  const outcome = decision === null ? undefined : decisionName(decision);
  const after = waited_ns === null ? undefined : formatDuration(waited_ns);
  const verdict = isExpired ? timedOut(outcome, after) : (outcome ?? status);
  return (
    <div className="ins-tx__asked">
      <p>
        <StatusIcon shape="waiting" />
        {prompt !== null && (
          <span className="ins-tx__prompt">
            <VisibleText text={prompt} />
          </span>
        )}
        {after !== undefined && !isExpired && <span>{TRANSCRIPT_TEXT.waited(after)}</span>}
      </p>
      <p>
        <strong>{verdict}</strong>
        {is_edited && <span>{TRANSCRIPT_TEXT.withEdits}</span>}
        {pairs !== undefined && <Pairs pairs={pairs} />}
        {actor !== null && !isExpired && <span>{by(actor)}</span>}
        {reason !== null && !isExpired && (
          <span className="ins-tx__reason">
            <VisibleText text={reason} />
          </span>
        )}
      </p>
    </div>
  );
}
