/** Decisions of hooks, policies and people about this span. */
import { useMemo } from 'react';
import type { Decision } from '../../api/types.ts';
import { formatJson } from '../../model/json/json-format.ts';
import { diffTexts } from '../../model/text/text-diff.ts';
import { ArgumentDiff } from '../parts/requests/argument-diff.tsx';
import { TimeOfDay } from '../parts/times.tsx';
import { PayloadView } from '../parts/values/payload.tsx';
import './decisions.css';
import { by, PARTS_TEXT, SPAN_TEXT } from '../../texts.ts';

export function Decisions({ decisions }: { readonly decisions: readonly Decision[] }) {
  const assents = decisions.filter(isAssent);
  return (
    <div className="ins-decisions">
      <List decisions={decisions.filter((decision) => !isAssent(decision))} />
      {assents.length > 0 && (
        <details>
          <summary>{summaryOf(assents)}</summary>
          <List decisions={assents} />
        </details>
      )}
    </div>
  );
}

/** Whether a decision is plain consent without a reason or a change, as most are. */
function isAssent({ action, reason, before, after }: Decision): boolean {
  return action === 'continue' && reason === null && before === null && after === null;
}

function summaryOf(assents: readonly Decision[]): string {
  const who = new Set(assents.map(({ interceptor }) => interceptor)).size;
  return SPAN_TEXT.noObjection(who);
}

function List({ decisions }: { readonly decisions: readonly Decision[] }) {
  if (decisions.length === 0) {
    return null;
  }
  return (
    <ol>
      {decisions.map((decision, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: decisions have no identity but their place
        <li key={at}>
          <header>
            <strong>{decision.action}</strong>
            {decision.interceptor !== null && <span>{by(decision.interceptor)}</span>}
            {decision.hook !== null && <code>{decision.hook}</code>}
            <TimeOfDay at={decision.time} />
            {decision.microseconds !== null && <span>{Math.round(decision.microseconds)} µs</span>}
          </header>
          {decision.reason !== null && <p>{decision.reason}</p>}
          <BeforeAfter decision={decision} />
        </li>
      ))}
    </ol>
  );
}

/** Limit of characters for a diff, which takes too long for longer texts. */
const MAX_COMPARED = 50_000;

/** Edit of a decision: the diff, then both texts. */
function BeforeAfter({ decision: { before, after } }: { readonly decision: Decision }) {
  const diff = useMemo(() => {
    if (before === null || after === null) return undefined;
    if (before.text.length + after.text.length > MAX_COMPARED) return undefined;
    return diffTexts(laidOut(before.text), laidOut(after.text));
  }, [before, after]);
  return (
    <>
      {diff !== undefined && diff.hunks.length > 0 && (
        <section className="ins-section">
          <h3>{SPAN_TEXT.whatChanged}</h3>
          <ArgumentDiff diff={diff} />
        </section>
      )}
      {before !== null && (
        <section className="ins-section">
          <h3>{PARTS_TEXT.before}</h3>
          <PayloadView payload={before} what={PARTS_TEXT.valueBefore} />
        </section>
      )}
      {after !== null && (
        <section className="ins-section">
          <h3>{PARTS_TEXT.after}</h3>
          <PayloadView payload={after} what={PARTS_TEXT.valueAfter} />
        </section>
      )}
    </>
  );
}

function laidOut(text: string): string {
  const formatted = formatJson(text);
  return formatted.isJson ? formatted.text : text;
}
