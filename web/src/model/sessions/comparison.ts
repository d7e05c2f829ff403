/** Comparison of two sessions in words and numbers. */
import type { AlignedStep, Change, Difference, Session, SpanKind, View } from '../../api/types.ts';
import { CHANGE_NAMES, COMPARE_PARTS_TEXT, QUANTITY_NAMES, SPAN_TEXT } from '../../texts.ts';
import { formatBeginning } from '../json/json-format.ts';
import { formatCost, formatDuration, groupThousands } from '../text/format.ts';
import { diffTexts, type TextDiff } from '../text/text-diff.ts';
import { spanKey } from '../trace/span-key.ts';

/** Kinds of change, the most important first. */
export const CHANGES = Object.keys(CHANGE_NAMES) as readonly Change[];

/** A sign for each change, so that none depends on colour alone. */
export const CHANGE_SIGNS: Readonly<Record<Change, string>> = {
  failed: '✕',
  recovered: '✓',
  added: '+',
  removed: '−',
  other_model: '⇄',
  asked_differently: '?',
  answered_differently: '≠',
  slower: '▲',
  faster: '▼',
  dearer: '△',
  cheaper: '▽',
};

/** A difference, and whether it starts after the first one. */
export type SelectedDifference = Difference & Partial<Pick<AlignedStep, 'follows'>>;

/** Key of a difference or step, that of its left span if it has one: no span is in two of them. */
export function differenceKey({ left, right }: Pick<Difference, 'left' | 'right'>): string {
  const span = left ?? right;
  return span === null ? '' : spanKey(span);
}

interface SummaryRow {
  readonly name: string;
  readonly left: string;
  readonly right: string;
  /** `+3`, `−1.2 s (−20 %)`; `=` for no change, `–` if one of them is not known. */
  readonly delta: string;
  readonly trend: 'more' | 'less' | 'same';
}

type Quantity = readonly [
  name: string,
  of: (session: Session) => number | null,
  format: (value: number) => string,
];

const QUANTITIES: readonly Quantity[] = [
  [QUANTITY_NAMES.time, ({ duration_ms }) => duration_ms, milliseconds],
  [QUANTITY_NAMES.waiting, ({ waiting_ms }) => waiting_ms, milliseconds],
  [QUANTITY_NAMES.spans, ({ span_count }) => span_count, groupThousands],
  [QUANTITY_NAMES.errors, ({ error_count }) => error_count, groupThousands],
  [QUANTITY_NAMES.llm_calls, ({ llm_calls }) => llm_calls, groupThousands],
  [QUANTITY_NAMES.tool_calls, ({ tool_calls }) => tool_calls, groupThousands],
  [QUANTITY_NAMES.tokens_in, ({ input_tokens }) => input_tokens, groupThousands],
  [QUANTITY_NAMES.tokens_out, ({ output_tokens }) => output_tokens, groupThousands],
  [QUANTITY_NAMES.cost, ({ cost_usd }) => cost_usd, formatCost],
];

function milliseconds(value: number): string {
  return value === 0 ? '0' : formatDuration(value * 1e6);
}

/** Quantities of both sessions; those that neither has are left out. */
export function summarise(left: Session, right: Session): readonly SummaryRow[] {
  return QUANTITIES.flatMap(([name, of, format]) => {
    const [before, after] = [of(left), of(right)];
    if (!before && !after) return [];
    const known = before !== null && after !== null;
    return {
      name,
      left: before === null ? '–' : format(before),
      right: after === null ? '–' : format(after),
      delta: known ? deltaOf(before, after, format) || '=' : '–',
      trend: !known || before === after ? 'same' : after > before ? 'more' : 'less',
    };
  });
}

/** Difference, with its percentage of the first value. */
export function deltaOf(before: number, after: number, format: (value: number) => string): string {
  if (before === after) return '';
  const sign = after > before ? '+' : '−';
  const amount = `${sign}${format(Math.abs(after - before))}`;
  const percent = Math.round((Math.abs(after - before) / before) * 100);
  return before === 0 || percent === 0
    ? amount
    : `${amount} (${sign}${groupThousands(percent)}\u00a0%)`;
}

/** Difference in a few words: self times before and after, and those in all where they are more. */
export function briefly({
  left,
  right,
  left_own_ns,
  right_own_ns,
  span_count,
}: Difference): string {
  if (left === null || right === null) {
    return span_count === 1 ? '' : COMPARE_PARTS_TEXT.withBelow(span_count - 1);
  }
  if (left_own_ns === null || right_own_ns === null || left_own_ns === right_own_ns) return '';
  const took = (before: number, after: number) =>
    `${formatDuration(before)} → ${formatDuration(after)}`;
  const own = took(left_own_ns, right_own_ns);
  const [before, after] = [left.duration_ns, right.duration_ns];
  if (before === left_own_ns && after === right_own_ns) return own;
  const all =
    before === null || after === null ? '' : COMPARE_PARTS_TEXT.inTotal(took(before, after));
  return `${SPAN_TEXT.selfTime} ${own}${all}`;
}

/** The session id in a typed or pasted text: the text itself, or from an address of the page. */
export function sessionIdIn(text: string): string {
  const inAddress = /\/sessions\/([^/?#]+)/.exec(text.trim());
  if (inAddress?.[1] === undefined) return text.trim();
  try {
    return decodeURIComponent(inAddress[1]);
  } catch {
    return inAddress[1];
  }
}

export interface Exchange {
  readonly question: string;
  readonly answer: string;
}

/** Input and output of a span, as the service compares them. */
export function exchangeIn(view: View, kind: SpanKind): Exchange {
  if (kind === 'tool' && view.tool !== null) {
    return { question: view.tool.arguments?.text ?? '', answer: view.tool.result?.text ?? '' };
  }
  if (view.mcp !== null && (kind === 'mcp' || kind === 'resource' || kind === 'prompt')) {
    return { question: view.mcp.request?.text ?? '', answer: view.mcp.response?.text ?? '' };
  }
  const input = view.messages.filter(({ origin }) => origin !== 'output');
  const first = input.findIndex(({ role }) => role === 'user');
  const output = view.messages.filter(({ origin }) => origin === 'output');
  return {
    question: input
      .slice(0, Math.max(first, 0) + 1)
      .map(wordsOf)
      .join('\n'),
    answer: output.map(wordsOf).join('\n'),
  };
}

/** Diff of two inputs or outputs; JSON line by line, whatever white space it was sent with. */
export function diffContents(before: string, after: string): TextDiff {
  const [a, b] = [readable(before), readable(after)];
  return a === b ? diffTexts(before, after) : diffTexts(a, b);
}

/** JSON on lines of its own, as far as it goes; other text as it is. */
function readable(text: string): string {
  return /^\s*[{[]/.test(text) ? (formatBeginning(text) ?? text) : text;
}

function wordsOf({ parts }: View['messages'][number]): string {
  return parts.map(partText).join('\n');
}

function partText(part: View['messages'][number]['parts'][number]): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text;
    case 'tool_call':
      return `${part.name}(${part.arguments?.text ?? ''})`;
    case 'tool_result':
      return part.result?.text ?? '';
    case 'blob':
      return `${part.size_bytes} bytes`;
    case 'link':
      return part.uri;
    case 'other':
      return part.value.text;
  }
}
