/** What hooks, policies and people decided about this span. */
import type { Decision } from '../../api/types.ts';
import { formatTimeOfDay } from '../../model/format.ts';
import { PayloadView } from './payload.tsx';
import './decisions.css';

export function Decisions({ decisions }: { readonly decisions: readonly Decision[] }) {
  return (
    <ol className="ins-decisions">
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
