/** Toolbar of the transcript: find, and the amount of detail. */
import { memo, useMemo, useRef } from 'react';
import { PALETTE_TEXT, PARTS_TEXT, partOf, SPAN_TEXT, TRANSCRIPT_TEXT } from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { ActorFilter } from '../parts/actor-filter.tsx';
import { useInspector, usePreferences } from '../parts/context.ts';
import { ActionIcon } from '../parts/icons.tsx';
import { SearchField } from '../parts/search-field.tsx';
import '../parts/view-tools.css';

interface TranscriptToolsProps {
  readonly find: string;
  /** Number of matching spans; undefined without a search. */
  readonly found: number | undefined;
  /** Index of the current match; −1: none. */
  readonly place: number;
  readonly isWhole: boolean;
  readonly isRaw: boolean;
  readonly hasOpenCards: boolean;
  readonly onFind: (text: string) => void;
  readonly onStep: (by: number) => void;
  readonly onWhole: (isWhole: boolean) => void;
  readonly onRaw: (isRaw: boolean) => void;
  readonly onFoldAll: (isFolded: boolean) => void;
}

export const TranscriptTools = memo(function TranscriptTools(props: TranscriptToolsProps) {
  const { find, found, place, isWhole, isRaw, hasOpenCards } = props;
  const { preferences } = useInspector();
  const { wallClock } = usePreferences();
  const field = useRef<HTMLInputElement>(null);
  const actions = useMemo(
    () => [
      { name: PARTS_TEXT.findInSession, keys: ['/'], run: () => field.current?.focus() },
      {
        name: TRANSCRIPT_TEXT.timeOfDayAction,
        run: () => preferences.change({ wallClock: !preferences.get().wallClock }),
      },
    ],
    [preferences],
  );
  useActions('Transcript', actions);
  const foldName = hasOpenCards ? TRANSCRIPT_TEXT.foldAgents : TRANSCRIPT_TEXT.unfoldAgents;
  return (
    <div className="ins-tools">
      <SearchField
        ref={field}
        value={find}
        label={PARTS_TEXT.findInSessionLabel}
        placeholder={PARTS_TEXT.findInSession}
        onChange={props.onFind}
        onEnter={(isShift) => props.onStep(isShift ? -1 : 1)}
      />
      <ActorFilter />
      {found !== undefined && (
        <span className="ins-tools__found" role="status">
          {found === 0
            ? PALETTE_TEXT.none
            : place < 0
              ? PARTS_TEXT.found(found)
              : partOf(place + 1, found)}
        </span>
      )}
      <div className="ins-tools__end">
        <button
          type="button"
          className="ins-tools__toggle"
          aria-pressed={wallClock}
          title={TRANSCRIPT_TEXT.timeOfDayTitle}
          onClick={() => preferences.change({ wallClock: !wallClock })}
        >
          {TRANSCRIPT_TEXT.timeOfDay}
        </button>
        <button
          type="button"
          className="ins-tools__toggle"
          aria-pressed={isRaw}
          title={SPAN_TEXT.rawTitle}
          onClick={() => props.onRaw(!isRaw)}
        >
          {SPAN_TEXT.raw}
        </button>
        <button
          type="button"
          className="ins-tools__toggle"
          aria-pressed={isWhole}
          title={TRANSCRIPT_TEXT.allSpansTitle}
          onClick={() => props.onWhole(!isWhole)}
        >
          {TRANSCRIPT_TEXT.allSpans}
        </button>
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
});
