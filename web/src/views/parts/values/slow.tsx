/** Progress of long work, with a button to stop it. Hidden while the work is quick. */
import './slow.css';
import { PARTS_TEXT } from '../../../texts.ts';

interface SlowProps {
  /** Name of the work: `Reading`. */
  readonly what: string;
  readonly done: number;
  readonly all: number;
  /** Progress and total as text. */
  readonly amount?: string;
  readonly onStop: () => void;
}

export function Slow({ what, done, all, amount, onStop }: SlowProps) {
  return (
    <p className="ins-slow" role="status">
      <span>{what}</span>
      <progress value={Math.min(done, all)} max={all} aria-label={what} />
      {amount !== undefined && <span>{amount}</span>}
      <button type="button" className="ins-link" onClick={onStop}>
        {PARTS_TEXT.stop}
      </button>
    </p>
  );
}
