/** Panel of one difference: values and errors of both spans, a diff of input and output. */
import { useEffect, useMemo, useState } from 'react';
import type { Comparison, Difference, SpanDetail, SpanRow } from '../../api/types.ts';
import {
  CHANGE_SIGNS,
  deltaOf,
  diffContents,
  type Exchange,
  exchangeIn,
  type SelectedDifference,
} from '../../model/sessions/comparison.ts';
import { formatCost, formatDuration, groupThousands } from '../../model/text/format.ts';
import { plainLine } from '../../model/text/hidden-characters.ts';
import { diffTexts } from '../../model/text/text-diff.ts';
import { Cuts } from '../../model/trace/cuts.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import { spanPath } from '../../state/route.ts';
import { CHANGE_NAMES, COMPARE_TEXT, PARTS_TEXT, QUANTITY_NAMES, SPAN_TEXT } from '../../texts.ts';
import { useInspector } from '../parts/context.ts';
import { ActionIcon, KindIcon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { ArgumentDiff } from '../parts/requests/argument-diff.tsx';
import { ErrorBlock } from '../parts/values/error-block.tsx';
import { ShownSpanContext } from '../parts/values/shown-span.ts';

interface DifferencePanelProps {
  readonly difference: SelectedDifference;
  readonly result: Comparison;
  readonly onClose: () => void;
}

export function DifferencePanel({ difference, result, onClose }: DifferencePanelProps) {
  const { left, right } = difference;
  const row = left ?? right;
  return (
    <section className="ins-difference-panel" aria-label={COMPARE_TEXT.difference}>
      <header>
        <h2>
          {row !== null && <KindIcon kind={row.kind} />} {plainLine(row?.name ?? '')}
        </h2>
        <button
          type="button"
          className="ins-icon-button"
          title={PARTS_TEXT.close}
          aria-label={PARTS_TEXT.close}
          onClick={onClose}
        >
          <ActionIcon name="close" />
        </button>
      </header>
      <p className="ins-difference__changes">
        {difference.changes.map((change) => (
          <span key={change} className={`ins-change ins-change--${change}`}>
            <span aria-hidden="true">{CHANGE_SIGNS[change]}</span> {CHANGE_NAMES[change]}
          </span>
        ))}
      </p>
      <p className="ins-difference-panel__links">
        {left !== null && (
          <Link className="ins-link" to={spanPath(result.left.id, spanKey(left))}>
            {COMPARE_TEXT.openBefore}
          </Link>
        )}
        {right !== null && (
          <Link className="ins-link" to={spanPath(result.right.id, spanKey(right))}>
            {COMPARE_TEXT.openAfter}
          </Link>
        )}
      </p>
      <p className="ins-difference-panel__path">
        {difference.path.map((name) => plainLine(name, 60)).join(' › ')}
      </p>
      {difference.changes.length === 0 && (
        <p className="ins-difference-panel__path">{COMPARE_TEXT.same}</p>
      )}
      {difference.follows === true && (
        <p className="ins-difference-panel__path">{COMPARE_TEXT.follows}</p>
      )}
      <Values difference={difference} />
      {row !== null && <Contents key={spanKey(row)} result={result} difference={difference} />}
    </section>
  );
}

/** Durations and other values of both spans. */
function Values({ difference }: { readonly difference: Difference }) {
  const { left, right, left_own_ns, right_own_ns } = difference;
  const rows = [
    [QUANTITY_NAMES.status, statusOf(left), statusOf(right), ''],
    [QUANTITY_NAMES.model, left?.model, right?.model, ''],
    numbers(SPAN_TEXT.selfTime, left_own_ns, right_own_ns, formatDuration),
    numbers(QUANTITY_NAMES.time, left?.duration_ns, right?.duration_ns, formatDuration),
    numbers(QUANTITY_NAMES.tokens_in, left?.input_tokens, right?.input_tokens, groupThousands),
    numbers(QUANTITY_NAMES.tokens_out, left?.output_tokens, right?.output_tokens, groupThousands),
    numbers(QUANTITY_NAMES.cost, left?.cost_usd, right?.cost_usd, formatCost),
  ] as const;
  return (
    <table className="ins-difference-panel__values">
      <thead>
        <tr>
          <td />
          <th scope="col">{PARTS_TEXT.before}</th>
          <th scope="col">{PARTS_TEXT.after}</th>
          <th scope="col">{COMPARE_TEXT.differenceLabel}</th>
        </tr>
      </thead>
      <tbody>
        {rows
          .filter(([, before, after]) => before != null || after != null)
          .map(([name, before, after, delta]) => (
            <tr key={name} className={before === after ? undefined : 'ins-changed'}>
              <th scope="row">{name}</th>
              <td>{plainLine(before ?? '–')}</td>
              <td>{plainLine(after ?? '–')}</td>
              <td>{delta}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

/** Status of a span; `ok` if none is set. */
function statusOf(row: SpanRow | null): string | undefined {
  return row?.status === 'unset' ? 'ok' : row?.status;
}

function numbers(
  name: string,
  before: number | null | undefined,
  after: number | null | undefined,
  format: (value: number) => string,
) {
  const both = before != null && after != null;
  return [
    name,
    before == null ? undefined : format(before),
    after == null ? undefined : format(after),
    both ? deltaOf(before, after, format) : '',
  ] as const;
}

interface ContentsProps {
  readonly result: Comparison;
  readonly difference: Difference;
}

/** Errors of both spans, and how their inputs and outputs differ. */
function Contents({ result, difference }: ContentsProps) {
  const { left, right } = difference;
  const details = useDetails(result, difference);
  return (
    <>
      <SpanError title={COMPARE_TEXT.errorBefore} detail={details?.left} />
      <SpanError title={COMPARE_TEXT.errorAfter} detail={details?.right} />
      {left !== null && right !== null && <Texts details={details} difference={difference} />}
    </>
  );
}

interface SpanErrorProps {
  readonly title: string;
  readonly detail: SpanDetail | undefined;
}

function SpanError({ title, detail }: SpanErrorProps) {
  const shown = useMemo(
    () => detail && { id: detail, cuts: new Cuts(detail), isRaw: false },
    [detail],
  );
  if (detail?.view.error == null) return null;
  return (
    <ShownSpanContext value={shown}>
      <h3>{title}</h3>
      <ErrorBlock error={detail.view.error} />
    </ShownSpanContext>
  );
}

interface Details {
  readonly left: SpanDetail | undefined;
  readonly right: SpanDetail | undefined;
}

interface TextsProps {
  readonly details: Details | undefined;
  readonly difference: Difference;
}

/** Diffs of inputs and outputs: first the part where the outputs differ, then the full texts. */
function Texts({ details, difference }: TextsProps) {
  const exchanges = useMemo(() => exchangesIn(details), [details]);
  const answers = useMemo(
    () =>
      exchanges === undefined
        ? diffTexts(difference.left_answer ?? '', difference.right_answer ?? '')
        : diffContents(exchanges.left.answer, exchanges.right.answer),
    [exchanges, difference],
  );
  const question = useMemo(
    () => exchanges && diffContents(exchanges.left.question, exchanges.right.question),
    [exchanges],
  );
  return (
    <>
      {question !== undefined && question.editCount > 0 && (
        <>
          <h3>{SPAN_TEXT.input}</h3>
          <ArgumentDiff diff={question} />
        </>
      )}
      {answers.editCount > 0 && (
        <>
          <h3>{exchanges === undefined ? COMPARE_TEXT.outputPart : SPAN_TEXT.output}</h3>
          <ArgumentDiff diff={answers} />
        </>
      )}
    </>
  );
}

function exchangesIn(
  details: Details | undefined,
): { left: Exchange; right: Exchange } | undefined {
  const { left, right } = details ?? {};
  if (left === undefined || right === undefined) return undefined;
  return { left: exchangeIn(left.view, left.kind), right: exchangeIn(right.view, right.kind) };
}

function useDetails(result: Comparison, { left, right }: Difference): Details | undefined {
  const { details } = useInspector();
  const [both, setBoth] = useState<Details>();
  const before = result.left.id;
  const after = result.right.id;
  useEffect(() => {
    const loading = new AbortController();
    const load = async (id: string, row: SpanRow | null) =>
      row === null ? undefined : (await details.load(id, row, loading.signal)).detail;
    Promise.all([load(before, left), load(after, right)]).then(
      ([first, second]) => setBoth({ left: first, right: second }),
      // Where the answers part is known without it.
      () => {},
    );
    return () => loading.abort();
  }, [details, before, after, left, right]);
  return both;
}
