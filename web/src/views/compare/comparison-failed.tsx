/** Problem of a comparison, with what to do about it. */
import type { ReactNode } from 'react';
import type { LoadState } from '../../state/sessions.ts';
import { COMPARE_TEXT } from '../../texts.ts';

interface ComparisonFailedProps {
  readonly state: LoadState & { readonly kind: 'failed' };
  readonly onAgain: () => void;
  /** What else can be done about a session that is gone. */
  readonly children?: ReactNode;
}

export function ComparisonFailed({ state, onAgain, children }: ComparisonFailedProps) {
  return (
    <div className="ins-compare__start" role="alert">
      <p>{state.status === 409 ? COMPARE_TEXT.changed : state.message}</p>
      {state.status === 404
        ? (children ?? <p>{COMPARE_TEXT.gone}</p>)
        : state.status !== 422 && (
            <button type="button" className="ins-link" onClick={onAgain}>
              {COMPARE_TEXT.again}
            </button>
          )}
    </div>
  );
}
