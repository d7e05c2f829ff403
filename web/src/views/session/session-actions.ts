/** Keys that work in every view of a session. */
import { useMemo } from 'react';
import { spanKey } from '../../model/trace/span-key.ts';
import { OF_SESSION } from '../../state/actions.ts';
import type { Trace } from '../../state/trace.ts';
import { ACTION_TEXT, SESSION_ACTIONS, SHELL_TEXT } from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { useInspector } from '../parts/context.ts';

/** `waiting`: keys of the spans that wait for a person. */
export function useSessionActions(
  trace: Trace,
  selected: string | undefined,
  waiting: ReadonlySet<string>,
  select: (key: string | undefined) => void,
): void {
  const { router, saved } = useInspector();
  const actions = useMemo(() => {
    const go = (key: string | undefined) => {
      if (key !== undefined) select(key);
    };
    return [
      { name: SESSION_ACTIONS.nextError, keys: ['e'], run: () => go(nextError(trace, selected)) },
      {
        name: ACTION_TEXT.nextWaitingSpan,
        keys: ['w'],
        run: () => go(after([...waiting], selected)),
      },
      { name: SESSION_ACTIONS.firstCause, run: () => go(firstCauseOf(trace)) },
      {
        name: SESSION_ACTIONS.nextSibling,
        keys: [']'],
        run: () => go(siblingOf(trace, selected, 1)),
      },
      {
        name: SESSION_ACTIONS.previousSibling,
        keys: ['['],
        run: () => go(siblingOf(trace, selected, -1)),
      },
      ...(saved === undefined
        ? [{ name: ACTION_TEXT.freeze, keys: ['f'], run: () => toggleFreeze(trace) }]
        : []),
      {
        name: SHELL_TEXT.closePanel,
        keys: ['Escape'],
        run: () => {
          if (router.route.get().query.has('plain')) router.adjust({ plain: undefined });
          else if (selected !== undefined) select(undefined);
          else if (saved === undefined) router.push(router.lastList);
        },
      },
    ];
  }, [trace, selected, waiting, select, router, saved]);
  useActions(OF_SESSION, actions);
}

/**
 * Key of the next error by start, wrapping around; without a selection, that of the first cause.
 */
export function nextError(trace: Trace, selected: string | undefined): string | undefined {
  if (selected === undefined) return firstCauseOf(trace);
  return after(trace.tally.errorsByStart().map(spanKey), selected);
}

function firstCauseOf(trace: Trace): string | undefined {
  const cause = trace.firstCause();
  return cause === undefined ? undefined : spanKey(cause);
}

export function after(keys: readonly string[], key: string | undefined): string | undefined {
  return keys[((key === undefined ? -1 : keys.indexOf(key)) + 1) % Math.max(1, keys.length)];
}

export function toggleFreeze({ whole }: Trace): void {
  if (whole.freeze.get() === undefined) whole.hold(Date.now());
  else whole.thaw();
}

function siblingOf(
  { forest }: Trace,
  selected: string | undefined,
  step: 1 | -1,
): string | undefined {
  const number = selected === undefined ? undefined : forest.numberOf(selected);
  if (number === undefined) return undefined;
  const siblings = forest.siblingsOf(number);
  const next = siblings[siblings.indexOf(number) + step];
  return next === undefined ? undefined : forest.keyOf(next);
}
