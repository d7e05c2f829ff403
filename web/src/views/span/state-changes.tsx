/** The agent's state, as it was captured on this span. */
import type { StateChange } from '../../api/types.ts';
import { formatTimeOfDay } from '../../model/format.ts';
import { PayloadView } from './payload.tsx';
import './decisions.css';

export function StateChanges({ changes }: { readonly changes: readonly StateChange[] }) {
  return (
    <ol className="ins-decisions">
      {changes.map((change, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: changes have no identity but their place
        <li key={at}>
          <header>
            <strong>{change.name}</strong>
            <time dateTime={change.time}>{formatTimeOfDay(change.time)}</time>
            {change.value === null && change.patch !== null && <span>what changed</span>}
          </header>
          {change.description !== null && <p>{change.description}</p>}
          {change.value !== null && <PayloadView payload={change.value} what={change.name} />}
          {change.patch !== null && <PayloadView payload={change.patch} what="the change" />}
        </li>
      ))}
    </ol>
  );
}
