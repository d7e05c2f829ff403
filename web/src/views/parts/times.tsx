/** Points in time as the reader prefers them. */
import { useMemo } from 'react';
import { Times } from '../../model/text/times.ts';
import { useNow, usePreferences } from './context.ts';

export function useTimes(): Times {
  const { timeZone, dates } = usePreferences();
  return useMemo(() => new Times(timeZone, dates), [timeZone, dates]);
}

/** When something happened, with the exact time as its title. */
export function When({ at }: { readonly at: string }) {
  const now_ms = useNow(60_000);
  const times = useTimes();
  return (
    <time dateTime={at} title={times.exactly(at)}>
      {times.when(at, now_ms)}
    </time>
  );
}

/** Time of day, with the exact time as its title. */
export function TimeOfDay({ at }: { readonly at: string }) {
  const times = useTimes();
  return (
    <time dateTime={at} title={times.exactly(at)}>
      {times.ofDay(at)}
    </time>
  );
}
