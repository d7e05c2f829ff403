/** Lines above rows that are not all: what could not be searched, and why. */
import { useEffect, useEffectEvent, useState } from 'react';
import type { Unsearched } from '../../api/types.ts';
import { quoted } from '../../model/text/format.ts';
import { SEARCH_TEXT, SHELL_TEXT } from '../../texts.ts';
import { useCell, useInspector } from './context.ts';
import { When } from './times.tsx';
import './unsearched.css';

interface UnsearchedLineProps {
  readonly parts: readonly Unsearched[];
  /** Undefined where it is searched again by itself. */
  readonly onAgain?: () => void;
}

export function UnsearchedLine({ parts, onAgain }: UnsearchedLineProps) {
  const { gaps, storeHealth } = useInspector();
  const count = useCell(gaps);
  const [first] = useState(count);
  const again = useEffectEvent(() => {
    if (parts.length > 0) onAgain?.();
  });
  useEffect(() => {
    if (count !== first) again();
  }, [count, first]);
  const isInBanner = useCell(storeHealth)?.state === 'incomplete';
  return (
    <div className="ins-unsearched" role="status">
      {parts.map((part) => (
        <p key={`${part.part} ${part.writer}`}>
          {SEARCH_TEXT.unsearched({ ...part, why: quoted(part.why) }, isInBanner)}
          {part.since !== null && !(isInBanner && part.part === 'writer') && (
            <>
              {' '}
              {SHELL_TEXT.since} <When at={part.since} />.
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
        </p>
      ))}
    </div>
  );
}
