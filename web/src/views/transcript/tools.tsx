/** Find, errors, what waits, freeze, and how much is shown. */
import { useMemo, useRef } from 'react';
import { plural } from '../../model/format.ts';
import { errorsOf } from '../../model/span-status.ts';
import type { Trace } from '../../state/trace.ts';
import { useActions } from '../actions.ts';
import { useVersion } from '../context.ts';
import { ActionIcon, StatusIcon } from '../icons.tsx';
import { SearchField } from '../search-field.tsx';
import { FreezeButton } from '../session/waterfall-tools.tsx';

interface TranscriptToolsProps {
  readonly trace: Trace;
  readonly find: string;
  /** How many spans are found; undefined when nothing is looked for. */
  readonly found: number | undefined;
  /** Which of them the cursor is at; −1: at none. */
  readonly place: number;
  readonly waiting: number;
  readonly isWhole: boolean;
  readonly isRaw: boolean;
  readonly hasOpenCards: boolean;
  readonly onFind: (text: string) => void;
  readonly onStep: (by: number) => void;
  readonly onError: () => void;
  readonly onWaiting: () => void;
  readonly onWhole: (isWhole: boolean) => void;
  readonly onRaw: (isRaw: boolean) => void;
  readonly onFoldAll: (isFolded: boolean) => void;
}

export function TranscriptTools(props: TranscriptToolsProps) {
  const { trace, find, found, place, waiting, isWhole, isRaw, hasOpenCards } = props;
  const field = useRef<HTMLInputElement>(null);
  const actions = useMemo(
    () => [{ name: 'Find in session', keys: ['/'], run: () => field.current?.focus() }],
    [],
  );
  useActions('Session', actions);
  const version = useVersion(trace.spans);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version says when to look again
  const errors = useMemo(() => errorsOf(trace.spans.values()).length, [trace, version]);
  const foldName = hasOpenCards ? 'Fold all agents' : 'Unfold all agents';
  return (
    <div className="ins-tools">
      <SearchField
        ref={field}
        value={find}
        label="Find in this session"
        placeholder="Find in session"
        onChange={props.onFind}
        onEnter={(isShift) => props.onStep(isShift ? -1 : 1)}
      />
      {found !== undefined && (
        <span className="ins-tools__found" role="status">
          {found === 0 ? 'nothing' : place < 0 ? `${found} found` : `${place + 1} of ${found}`}
        </span>
      )}
      {errors > 0 && (
        <button
          type="button"
          className="ins-tools__errors"
          title="Next error (E)"
          onClick={props.onError}
        >
          <StatusIcon shape="failed" />
          {plural(errors, 'error')}
        </button>
      )}
      {waiting > 0 && (
        <button
          type="button"
          className="ins-tools__waiting"
          title="Next span that waits (W)"
          onClick={props.onWaiting}
        >
          <StatusIcon shape="waiting" />
          {waiting} waiting
        </button>
      )}
      <div className="ins-tools__end">
        <button
          type="button"
          className="ins-tools__toggle"
          aria-pressed={isRaw}
          title="Exact text (R)"
          onClick={() => props.onRaw(!isRaw)}
        >
          Raw
        </button>
        <button
          type="button"
          className="ins-tools__toggle"
          aria-pressed={isWhole}
          title="Show wrappers, twins and transport, too"
          onClick={() => props.onWhole(!isWhole)}
        >
          All spans
        </button>
        <FreezeButton trace={trace} />
        <button
          type="button"
          className="ins-icon-button"
          title={foldName}
          aria-label={foldName}
          onClick={() => props.onFoldAll(hasOpenCards)}
        >
          <ActionIcon name="fold" />
        </button>
      </div>
    </div>
  );
}
