/** Line above rows that are not all: what could not be searched, and why. */
import type { Unsearched } from '../../api/types.ts';
import { quoted } from '../../model/text/format.ts';
import { SEARCH_TEXT, SHELL_TEXT } from '../../texts.ts';
import { When } from './times.tsx';
import './unsearched.css';

interface UnsearchedLineProps {
  readonly parts: readonly Unsearched[];
  /** Undefined where it is searched again by itself. */
  readonly onAgain?: () => void;
}

export function UnsearchedLine({ parts, onAgain }: UnsearchedLineProps) {
  const [missing] = parts;
  return (
    <p className="ins-unsearched" role="status">
      {missing !== undefined && (
        <>
          {SEARCH_TEXT.unsearched(quoted(missing.why))}
          {missing.since !== null && (
            <>
              {' '}
              {SHELL_TEXT.since} <When at={missing.since} />.
            </>
          )}
          {onAgain !== undefined && (
            <>
              {' '}
              <button type="button" className="ins-link" onClick={onAgain}>
                {SEARCH_TEXT.again}
              </button>
            </>
          )}
        </>
      )}
    </p>
  );
}
