/** Placeholder for rows: grey bars while they load, or the reason why they cannot. */
import { CodedText } from './coded-text.tsx';
import { useCell, useInspector } from './context.ts';
import './loading-rows.css';
import { PARTS_TEXT, SHELL_TEXT } from '../../texts.ts';

interface LoadingRowsProps {
  /** Lengths of the rows, percent. */
  readonly lengths: readonly number[];
}

export function LoadingRows({ lengths }: LoadingRowsProps) {
  const { feed } = useInspector();
  const { kind } = useCell(feed.status);
  if (kind === 'reconnecting') {
    return (
      <p className="ins-loading__problem" role="status">
        <CodedText text={SHELL_TEXT.unreachable} />
      </p>
    );
  }
  if (kind === 'refused') {
    return (
      <p className="ins-loading__problem" role="status">
        <CodedText text={SHELL_TEXT.notSignedIn} />
      </p>
    );
  }
  return (
    <div className="ins-loading" role="status">
      <span className="ins-hidden">{PARTS_TEXT.loading}</span>
      {lengths.map((length) => (
        <span key={length} className="ins-loading__row" style={{ width: `${length}%` }} />
      ))}
    </div>
  );
}
