/** Progress of long work, with a way to stop it. Hidden when the work is quick. */
import './slow.css';

interface SlowProps {
  /** `Reading`. */
  readonly what: string;
  readonly done: number;
  readonly all: number;
  /** Both as a person reads them. */
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
        Stop
      </button>
    </p>
  );
}
