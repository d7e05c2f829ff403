/** Line of a request in the inbox. */
import { memo } from 'react';
import {
  allowsByItself,
  argumentsLine,
  headlineOf,
  isPending,
  lineOf,
  outcomeOf,
} from '../../model/requests/request.ts';
import { plainLine } from '../../model/text/hidden-characters.ts';
import { useInspector, useRow } from '../parts/context.ts';
import { StatusIcon } from '../parts/icons.tsx';
import { shapeOf, TimeLeft } from '../parts/requests/request-card.tsx';

interface RequestLineProps {
  readonly id: string;
  readonly isOpen: boolean;
  /** Whether it is the current one of the list (`list-focus.ts`). */
  readonly isCurrent: boolean;
  readonly onOpen: (id: string) => void;
}

export const RequestLine = memo(function RequestLine(props: RequestLineProps) {
  const { id, isOpen, isCurrent, onOpen } = props;
  const request = useRow(useInspector().requests.rows, id);
  if (request === undefined) return null;
  const isWaiting = isPending(request);
  const [what, headline] = [lineOf(request), headlineOf(request)];
  const args = request.kind === 'question' ? '' : argumentsLine(request);
  const session = request.session_title || request.session_id;
  const state = isWaiting ? (allowsByItself(request) ? 'allowing' : 'pending') : 'closed';
  return (
    <button
      type="button"
      className={`ins-inbox__line ins-inbox__line--${state}`}
      aria-current={isOpen}
      tabIndex={isCurrent ? 0 : -1}
      data-focus
      data-request-line
      onClick={() => onOpen(id)}
    >
      <StatusIcon shape={shapeOf(request)} />
      <span className="ins-inbox__what" title={what === headline ? what : `${headline}: ${what}`}>
        {what}
      </span>
      {args !== '' && (
        <span className="ins-inbox__args" dir="ltr" title={args}>
          {args}
        </span>
      )}
      <span className="ins-inbox__session" title={plainLine(session, 400)}>
        {plainLine(session, 80)}
      </span>
      <span className="ins-inbox__time" title={isWaiting ? undefined : outcomeOf(request)}>
        {isWaiting ? <TimeLeft request={request} /> : outcomeOf(request)}
      </span>
    </button>
  );
});
