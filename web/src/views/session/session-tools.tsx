/** Errors, waits and the freeze, beside the tabs of every view. */
import { groupThousands, plural } from '../../model/text/format.ts';
import type { Trace } from '../../state/trace.ts';
import { ACTION_TEXT, PARTS_TEXT, SESSION_TEXT, withKey } from '../../texts.ts';
import { useCell, useInspector, useNow } from '../parts/context.ts';
import { ActionIcon, StatusIcon } from '../parts/icons.tsx';
import { after, nextError, toggleFreeze } from './session-actions.ts';
import './session-tools.css';

interface SessionToolsProps {
  readonly trace: Trace;
  readonly selected: string | undefined;
  readonly waiting: ReadonlySet<string>;
  readonly onSelect: (key: string) => void;
}

export function SessionTools({ trace, selected, waiting, onSelect }: SessionToolsProps) {
  const errors = useCell(trace.errorCount);
  const isSaved = useInspector().saved !== undefined;
  const go = (key: string | undefined) => {
    if (key !== undefined) onSelect(key);
  };
  return (
    <div className="ins-session-tools">
      {errors > 0 && (
        <button
          type="button"
          className="ins-session-tools__errors"
          title={SESSION_TEXT.nextErrorTitle}
          aria-label={plural(errors, 'error')}
          onClick={() => go(nextError(trace, selected))}
        >
          <StatusIcon shape="failed" />
          {groupThousands(errors)}{' '}
          <span className="ins-session-tools__word">
            {errors === 1 ? PARTS_TEXT.error : PARTS_TEXT.errors}
          </span>
        </button>
      )}
      {waiting.size > 0 && (
        <button
          type="button"
          className="ins-session-tools__waiting"
          title={withKey(ACTION_TEXT.nextWaitingSpan, 'W')}
          onClick={() => go(after([...waiting], selected))}
        >
          <StatusIcon shape="waiting" />
          {SESSION_TEXT.waitingCount(waiting.size)}
        </button>
      )}
      {!isSaved && <FreezeButton trace={trace.whole} />}
    </div>
  );
}

function FreezeButton({ trace }: { readonly trace: Trace }) {
  const freeze = useCell(trace.freeze);
  const now_ms = useNow(freeze === undefined ? undefined : 1000);
  const name = freeze === undefined ? SESSION_TEXT.freeze : SESSION_TEXT.unfreeze;
  const seconds =
    freeze === undefined ? 0 : Math.max(0, Math.round((now_ms - freeze.since_ms) / 1000));
  return (
    <button
      type="button"
      className={freeze === undefined ? 'ins-icon-button' : 'ins-session-tools__frozen'}
      title={withKey(name, 'F')}
      aria-label={name}
      aria-pressed={freeze !== undefined}
      onClick={() => toggleFreeze(trace)}
    >
      <ActionIcon name="freeze" />
      {freeze !== undefined && SESSION_TEXT.frozen(seconds, freeze.behind)}
    </button>
  );
}
