/**
 * A session in a few lines of Markdown, for an issue or a chat: facts, errors and outline.
 *
 * Text from the trace is in fences longer than any run of backticks in it, or on one line without
 * hidden characters, so that it is never read as markup.
 */
import type { Session, SpanRow } from '../../api/types.ts';
import { PARTS_TEXT, SUMMARY_TEXT } from '../../texts.ts';
import { formatCost, formatCount, formatDuration, formatOffset, plural } from '../text/format.ts';
import { plainLine } from '../text/hidden-characters.ts';

interface Cause {
  readonly span: SpanRow;
  /** Message of the span's error; empty: none. */
  readonly text: string;
}

export interface OutlineRow {
  readonly depth: number;
  readonly span: SpanRow;
}

export interface Summary {
  readonly session: Session;
  readonly link: string;
  readonly causes: readonly Cause[];
  /** Number of all errors, including those that are not listed here. */
  readonly errorCount: number;
  /** Spans, a parent before its children, siblings by start. */
  readonly outline: Iterable<OutlineRow>;
}

const MOST_LINES = 60;
const MOST_CAUSE = 1500;

export function summaryOf({ session, link, causes, errorCount, outline }: Summary): string {
  const parts = [`# ${inline(session.title || session.id)}`, factsOf(session), `<${link}>`];
  if (causes.length > 0) {
    parts.push(`## ${SUMMARY_TEXT.wrong}\n\n${causes.map(causeText).join('\n\n')}`);
    const left = errorCount - causes.length;
    if (left > 0) parts.push(SUMMARY_TEXT.otherErrors(left));
  }
  parts.push(`## ${SUMMARY_TEXT.outline}\n\n${fenced(outlineLines(outline).join('\n'))}`);
  return `${parts.join('\n\n')}\n`;
}

function factsOf(session: Session): string {
  const tokens = session.input_tokens + session.output_tokens;
  return [
    `**${session.status}**`,
    session.duration_ms === null ? '' : formatDuration(session.duration_ms * 1e6),
    session.waiting_ms > 0 ? SUMMARY_TEXT.waiting(formatDuration(session.waiting_ms * 1e6)) : '',
    session.idle_ms >= 1000 ? SUMMARY_TEXT.idle(formatDuration(session.idle_ms * 1e6)) : '',
    plural(session.span_count, 'span'),
    session.error_count > 0 ? plural(session.error_count, 'error') : '',
    tokens > 0
      ? SUMMARY_TEXT.tokens(formatCount(session.input_tokens), formatCount(session.output_tokens))
      : '',
    session.cost_usd === null ? '' : formatCost(session.cost_usd),
    session.models.length > 0 ? session.models.map(inline).join(', ') : '',
  ]
    .filter((fact) => fact !== '')
    .join(' · ');
}

function causeText({ span, text }: Cause): string {
  const took = span.duration_ns === null ? undefined : formatDuration(span.duration_ns);
  const head = SUMMARY_TEXT.cause(inline(span.name), formatOffset(span.offset_ns), took);
  const reason = text === '' ? SUMMARY_TEXT.noReason : text;
  const cut = reason.length > MOST_CAUSE ? `${reason.slice(0, MOST_CAUSE)}…` : reason;
  return `${head}\n\n${fenced(cut)}`;
}

/** Lines of the outline; equal rows that follow each other are one line. */
function outlineLines(rows: Iterable<OutlineRow>): string[] {
  const lines: { text: string; key: string; count: number }[] = [];
  let left = 0;
  for (const { depth, span } of rows) {
    const name = plainLine(span.name || PARTS_TEXT.noName);
    const key = `${depth} ${span.status} ${name}`;
    const last = lines.at(-1);
    if (last?.key === key) last.count += 1;
    else if (lines.length >= MOST_LINES) left += 1;
    else
      lines.push({ text: `${'  '.repeat(Math.min(depth, 20))}${line(span, name)}`, key, count: 1 });
  }
  const shown = lines.map(({ text, count }) => (count > 1 ? `${text}  × ${count}` : text));
  return left > 0 ? [...shown, SUMMARY_TEXT.otherSpans(left)] : shown;
}

function line(span: SpanRow, name: string): string {
  const took = span.duration_ns === null ? span.status : formatDuration(span.duration_ns);
  const isPlain = span.status === 'ok' || span.status === 'unset' || span.duration_ns === null;
  return `${name}  ${took}${isPlain ? '' : `  ${span.status.toUpperCase()}`}`;
}

/** Text on one line, escaped so that it stays text in Markdown. */
function inline(text: string): string {
  return plainLine(text).replace(/[\\`*_[\]<>#|!~&]/g, '\\$&');
}

export function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}
