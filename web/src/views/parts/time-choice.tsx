/** Choice of the list's time range: the last hours, all, or what was dragged over the chart. */
import { useMemo } from 'react';
import { ALL_TIME, LAST, type TimeRange, timeRangeText } from '../../model/sessions/time-range.ts';
import { useActions } from './actions.ts';
import { useInspector } from './context.ts';
import { ActionIcon } from './icons.tsx';
import { useTimes } from './times.tsx';
import './time-choice.css';
import { PARTS_TEXT } from '../../texts.ts';

const CHOICES: readonly (readonly [string, string, TimeRange])[] = [
  ...LAST.map((range) => [range.name, PARTS_TEXT.lastTime(range.name), range] as const),
  [PARTS_TEXT.all, PARTS_TEXT.anyTime, ALL_TIME],
];

export function TimeChoice({ range }: { readonly range: TimeRange }) {
  const { router } = useInspector();
  const times = useTimes();
  const actions = useMemo(
    () =>
      CHOICES.map(([, longName, choice]) => ({
        name: PARTS_TEXT.showTime(longName),
        run: () => router.adjust({ time: timeRangeText(choice) }),
      })),
    [router],
  );
  useActions('Session list', actions);
  return (
    <div className="ins-time" role="group" aria-label={PARTS_TEXT.time}>
      {range.kind === 'between' && (
        <button
          type="button"
          className="ins-time__chip"
          title={PARTS_TEXT.allTimeTitle}
          onClick={() => router.adjust({ time: undefined })}
        >
          {times.range(range.since_ms, range.until_ms)}
          <ActionIcon name="close" />
          <span className="ins-hidden">{PARTS_TEXT.allTime}</span>
        </button>
      )}
      {CHOICES.map(([name, longName, choice]) => (
        <button
          key={name}
          type="button"
          className="ins-time__choice"
          aria-pressed={timeRangeText(choice) === timeRangeText(range)}
          title={PARTS_TEXT.sessionsOf(longName)}
          onClick={() => router.adjust({ time: timeRangeText(choice) })}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
