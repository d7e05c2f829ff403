/** One session. Its duration counts while it runs. */
import { type MouseEvent, memo } from 'react';
import type { Session } from '../../api/types.ts';
import { isFlawed } from '../../model/sessions/flawed.ts';
import { formatCount } from '../../model/text/format.ts';
import { seenText } from '../../model/text/hidden-characters.ts';
import type { KeyedStore } from '../../state/keyed-store.ts';
import { sessionPath } from '../../state/route.ts';
import { CAUSE_TEXT, SESSION_LIST_TEXT, SESSION_STATUS, sessionStatus } from '../../texts.ts';
import { useInspector, useRow } from '../parts/context.ts';
import { StatusIcon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { WriterMark } from '../parts/service-mark.tsx';
import { NoNews, Waited } from '../parts/session-times.tsx';
import { type Column, fixedAt } from './columns.tsx';
import { RowAnswer } from './row-answer.tsx';

interface SessionRowProps {
  readonly rows: KeyedStore<Session>;
  readonly id: string;
  /** Index in the list, from 0. */
  readonly index: number;
  readonly top_px: number;
  readonly columns: readonly Column[];
  readonly lefts_px: readonly number[];
  /** Whether the row has the focus, or would take it. */
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  readonly onSelect: (id: string, isRange: boolean) => void;
  /** Whether its requests are open below the row. */
  readonly isAnswering: boolean;
  readonly onAnswering: (id: string | undefined) => void;
}

const NONE: readonly string[] = [];

export const SessionRow = memo(function SessionRow(props: SessionRowProps) {
  const { rows, id, index, top_px, columns, lefts_px, isCurrent, isSelected, onSelect } = props;
  const { isAnswering, onAnswering } = props;
  const session = useRow(rows, id);
  const waiting = useRow(useInspector().requests.ofSession, id) ?? (isAnswering ? NONE : undefined);
  if (session === undefined) return null;
  const standing = sessionStatus(session.status, session.error_count);
  const why = session.cause ?? session.answer;
  const marks = [
    session.status,
    isSelected ? 'selected' : '',
    isAnswering ? 'answering' : '',
    isFlawed(session) ? 'flawed' : '',
    why === null ? '' : 'why',
  ].filter((mark) => mark !== '');
  const select = (event: MouseEvent) => onSelect(id, event.shiftKey);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the link in it has the focus
    <div
      role="row"
      aria-rowindex={index + 2}
      className={`ins-list__row ${marks.map((mark) => `ins-list__row--${mark}`).join(' ')}`}
      style={{ transform: `translateY(${top_px}px)` }}
      data-top={top_px}
      data-session={id}
      data-row={id}
    >
      <span role="cell" {...fixedAt(lefts_px[0], 'ins-list__select')}>
        <input
          type="checkbox"
          aria-label={SESSION_LIST_TEXT.select(session.title || id)}
          tabIndex={isCurrent ? 0 : -1}
          checked={isSelected}
          onChange={() => {}}
          onClick={select}
        />
      </span>
      <span role="cell" {...fixedAt(lefts_px[1], 'ins-list__status')} title={standing}>
        <StatusIcon shape={session.status} />
        <span className="ins-hidden">{standing}</span>
        {session.error_count > 0 && (
          <span className="ins-list__errors" aria-hidden="true">
            {formatCount(session.error_count)}
          </span>
        )}
      </span>
      <span role="cell" {...fixedAt(lefts_px[2], 'ins-list__main')}>
        <span className="ins-list__about">
          <Link
            className="ins-list__title"
            to={sessionPath(id)}
            title={session.title}
            isCurrentRow={isCurrent}
          >
            <WriterMark id={id} />
            {session.title || id}
            <span className="ins-hidden">, {standing}</span>
          </Link>
          {why !== null && <Why text={why} isCause={session.cause !== null} />}
        </span>
        <Standing session={session} />
        {waiting !== undefined && (
          <RowAnswer id={id} waiting={waiting} isOpen={isAnswering} onAnswering={onAnswering} />
        )}
      </span>
      {columns.map((column, at) => (
        <span
          key={column.id}
          role="cell"
          {...fixedAt(
            lefts_px[at + 3],
            `ins-list__cell ins-list__${column.id}${column.isNumber ? ' ins-list__number' : ''}`,
          )}
          title={column.title?.(session)}
        >
          <column.Cell session={session} />
        </span>
      ))}
    </div>
  );
});

/** What failed first, or what was answered last. */
function Why({ text, isCause }: { readonly text: string; readonly isCause: boolean }) {
  const label = isCause ? CAUSE_TEXT.cause : CAUSE_TEXT.answer;
  const look = isCause ? 'ins-list__why ins-list__why--cause' : 'ins-list__why';
  return (
    <span className={look} title={`${label}: ${text}`}>
      <span className="ins-hidden">{label}: </span>
      {seenText(text)}
    </span>
  );
}

/** Time of the open wait, of the pause, or of the silence. */
function Standing({ session }: { readonly session: Session }) {
  if (session.silent_since !== null) {
    return (
      <span className="ins-list__standing ins-list__standing--silent">
        <NoNews since={session.silent_since} />
      </span>
    );
  }
  if (session.status === 'paused') {
    return (
      <span className="ins-list__standing">
        {SESSION_STATUS.paused}{' '}
        {session.paused_since !== null && <Waited since={session.paused_since} />}
      </span>
    );
  }
  if (session.status !== 'waiting' || session.waiting_since === null) return null;
  return (
    <span className="ins-list__standing">
      {SESSION_LIST_TEXT.waiting} <Waited since={session.waiting_since} />
    </span>
  );
}
