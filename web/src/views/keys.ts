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

function isInput(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
