/** `Ctrl+A` and `Ctrl+C` in a box with only a part of its text in the document. */
import { type KeyboardEvent, useEffect, useState } from 'react';
import { copyText } from '../copy-button.tsx';

interface CopyAll {
  /** Whether all of it is selected. */
  readonly isAll: boolean;
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
}

/**
 * Args:
 *   whole: What `Ctrl+A` selects.
 *   chosen: What `Ctrl+C` copies when neither that nor any text is selected.
 */
export function useCopyAll(whole: () => string, chosen?: () => string): CopyAll {
  const [isAll, setAll] = useState(false);
  useEffect(() => {
    if (!isAll) return;
    const forget = () => setAll(false);
    window.addEventListener('pointerdown', forget);
    return () => window.removeEventListener('pointerdown', forget);
  }, [isAll]);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const isShortcut = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    const key = event.key.toLowerCase();
    if (isShortcut && key === 'a') {
      event.preventDefault();
      window.getSelection()?.removeAllRanges();
      setAll(true);
    } else if (isShortcut && key === 'c') {
      const text = isAll
        ? whole
        : window.getSelection()?.isCollapsed === false
          ? undefined
          : chosen;
      if (text === undefined) return;
      event.preventDefault();
      copyText(text()).catch(() => {});
    } else if (isAll && !['Control', 'Meta', 'Shift'].includes(event.key)) {
      if (event.key === 'Escape') event.stopPropagation();
      setAll(false);
    }
  };
  return { isAll, onKeyDown };
}
