/** What hooks, policies and people decided about this span. */
import type { Decision } from '../../api/types.ts';
import { formatTimeOfDay } from '../../model/format.ts';
import { PayloadView } from './payload.tsx';
import './decisions.css';

export function Decisions({ decisions }: { readonly decisions: readonly Decision[] }) {
  const assents = decisions.filter(isAssent);
  return (
    <div className="ins-decisions">
      <List decisions={decisions.filter((decision) => !isAssent(decision))} />
      {assents.length > 0 && (
        <details>
          <summary>{told(assents)}</summary>
          <List decisions={assents} />
        </details>
      )}
    </div>
  );
}

/** Whether somebody was asked, and had nothing to say: most verdicts are of this kind. */
function isAssent({ action, reason, before, after }: Decision): boolean {
  return action === 'continue' && reason === null && before === null && after === null;
}

function told(assents: readonly Decision[]): string {
  const who = new Set(assents.map(({ interceptor }) => interceptor)).size;
  return `${who} ${who === 1 ? 'interceptor' : 'interceptors'} had no objection`;
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
            {decision.interceptor !== null && <span>by {decision.interceptor}</span>}
            {decision.hook !== null && <code>{decision.hook}</code>}
            <time dateTime={decision.time}>{formatTimeOfDay(decision.time)}</time>
            {decision.microseconds !== null && <span>{Math.round(decision.microseconds)} µs</span>}
          </header>
          {decision.reason !== null && <p>{decision.reason}</p>}
          {decision.before !== null && (
            <section className="ins-section">
              <h3>before</h3>
              <PayloadView payload={decision.before} what="the value before" />
            </section>
          )}
          {decision.after !== null && (
            <section className="ins-section">
              <h3>after</h3>
              <PayloadView payload={decision.after} what="the value after" />
            </section>
          )}
        </li>
      ))}
    </ol>
  );
}
