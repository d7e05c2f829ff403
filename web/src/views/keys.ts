/** Keys that work anywhere on the page. */
import { useEffect } from 'react';
import { usePreferences } from './context.ts';

export type KeyActions = Readonly<Record<string, () => void>>;

/**
 * Call an action when its key is pressed outside of inputs. Keys are `KeyboardEvent.key`; single
 * letters are given in lower case, and can be switched off.
 */
export function useKeys(actions: KeyActions): void {
  const { keys } = usePreferences();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isInput(event.target)) return;
      if (!keys && /^[a-z]$/i.test(event.key)) return;
      const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [actions, keys]);
}

/** How long the first key of two counts. */
const CHORD_MS = 1500;

/** Two keys, one after the other: `g w`. The second one does nothing else then. */
export function useChords(actions: KeyActions): void {
  const { keys } = usePreferences();
  useEffect(() => {
    if (!keys) return;
    const firsts = new Set(Object.keys(actions).map((chord) => chord.charAt(0)));
    let first: { key: string; until_ms: number } | undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isInput(event.target)) return;
      const key = event.key.toLowerCase();
      const begun = first;
      first = undefined;
      if (begun !== undefined && event.timeStamp < begun.until_ms) {
        const action = actions[`${begun.key} ${key}`];
        if (action !== undefined) {
          event.preventDefault();
          action();
          return;
        }
      }
      if (firsts.has(key)) first = { key, until_ms: event.timeStamp + CHORD_MS };
    };
    // Before the keys of what is shown.
    window.addEventListener('keydown', onKeyDown, { capture: true });
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [actions, keys]);
}

function isInput(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
