/** The focus when what has it goes away: it returns to where it was, and is never lost. */
import { type FocusEvent, useLayoutEffect, useRef } from 'react';

/** What a page is about: a list, a tree, a feed. */
const LISTS = 'main :is([data-focus],[data-list],[role=tree],[role=feed])[tabindex="0"]';

/** Focus what had the focus before, else the list of the page, else the page itself. */
export function focusBack(before: Element | null | undefined): void {
  const isThere = before instanceof HTMLElement && before.isConnected;
  const target = isThere ? before : (document.querySelector(LISTS) ?? document.querySelector(PAGE));
  if (target instanceof HTMLElement) target.focus({ preventScroll: true });
}

const PAGE = '.ins-app__page';

/** For what may go away with the focus in it, such as a button that is pressed: the page has it then. */
export function useFocusOnLeave(of: { readonly current: Element | null }): void {
  useLayoutEffect(() => {
    const element = of.current;
    return () => {
      if (element === null || !element.contains(document.activeElement)) return;
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) focusBack(undefined);
      });
    };
  }, [of]);
}

/** For a field: notes what had the focus before it, and gives it back. */
export function useFieldFocus(): {
  readonly onFocus: (event: FocusEvent) => void;
  readonly leave: () => void;
} {
  const before = useRef<Element | null>(null);
  return {
    onFocus: ({ relatedTarget }) => {
      before.current = relatedTarget;
    },
    leave: () => focusBack(before.current),
  };
}

/** For a panel beside a view: when it closes with the focus in it, what had the focus before has it. */
export function usePanelFocus(isOpen: boolean): (event: FocusEvent) => void {
  const before = useRef<Element | null>(null);
  const wasOpen = useRef(isOpen);
  useLayoutEffect(() => {
    const isClosing = wasOpen.current && !isOpen;
    wasOpen.current = isOpen;
    if (isClosing && document.activeElement === document.body) focusBack(before.current);
  }, [isOpen]);
  return ({ currentTarget, relatedTarget }) => {
    if (!currentTarget.contains(relatedTarget)) before.current = relatedTarget;
  };
}
