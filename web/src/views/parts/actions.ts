/** Hooks for actions of the page and their keys. */
import { useEffect, useLayoutEffect } from 'react';
import type { Action } from '../../state/actions.ts';
import { useInspector, usePreferences } from './context.ts';

/**
 * Offer actions while the component is mounted: their keys work outside inputs, and the palette and
 * the list of keys show them. Memoise `list`.
 */
export function useActions(where: string, list: readonly Action[]): void {
  const { actions } = useInspector();
  // Together with what is shown: a key that follows at once would otherwise do what was meant before
  // (Escape, with a span's panel just opened, left the session).
  useLayoutEffect(() => actions.add({ where, actions: list }), [actions, where, list]);
}

/** Time within which the second key of a sequence must follow. */
const CHORD_MS = 1500;

/** Run actions by their keys; call it once, for the whole page. Single letters can be off. */
export function useActionKeys(): void {
  const { actions } = useInspector();
  const { keys: areLettersOn } = usePreferences();
  useEffect(() => {
    let first: { key: string; until_ms: number } | undefined;
    const keyOf = (event: KeyboardEvent): string | undefined => {
      if (event.altKey || isBehind(QUESTIONS)) return undefined;
      if (event.ctrlKey || event.metaKey) return `mod+${event.key.toLowerCase()}`;
      // Of an editor in a shadow root the target is what it is in.
      if (isInput(event.composedPath()[0] ?? null) || isBehind(LAYERS)) return undefined;
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      return areLettersOn || !/^[a-z]$/.test(key) ? key : undefined;
    };
    const act = (event: KeyboardEvent, key: string) => {
      const action = actions.ofKey(key);
      if (action === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      action.run();
    };
    // The second of two does nothing else then: it comes before the keys of what has the focus.
    const onCapture = (event: KeyboardEvent) => {
      const key = keyOf(event);
      const begun = first;
      first = undefined;
      if (key === undefined) return;
      if (begun !== undefined && event.timeStamp < begun.until_ms)
        act(event, `${begun.key} ${key}`);
      if (!event.defaultPrevented && actions.isFirst(key))
        first = { key, until_ms: event.timeStamp + CHORD_MS };
    };
    const onBubble = (event: KeyboardEvent) => {
      const key = keyOf(event);
      if (key !== undefined && !event.defaultPrevented) act(event, key);
    };
    window.addEventListener('keydown', onCapture, { capture: true });
    window.addEventListener('keydown', onBubble);
    return () => {
      window.removeEventListener('keydown', onCapture, { capture: true });
      window.removeEventListener('keydown', onBubble);
    };
  }, [actions, areLettersOn]);
}

/** What has the keys while it is open: a question all of them, the others the plain ones. */
const QUESTIONS = '[role=alertdialog]';
const LAYERS = 'dialog[open], [role=menu]';

function isBehind(layers: string): boolean {
  return document.querySelector(layers) !== null;
}

/** What is typed into, or chooses by letters. */
const FIELDS = 'input:not([type=checkbox], [type=radio]), textarea, select';

/**
 * Whether keys go to an input; the field of a dialog that has just closed may still have the focus,
 * and counts as none.
 */
function isInput(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches(FIELDS)) &&
    target.closest('dialog:not([open])') === null
  );
}
