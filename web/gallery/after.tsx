/** Simulates input before a case is looked at: types, presses, opens. */
import { type ReactNode, useEffect, useRef } from 'react';

interface AfterProps {
  readonly deed: (frame: HTMLElement) => Promise<void>;
  readonly children: ReactNode;
}

export function After({ deed, children }: AfterProps) {
  const frame = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    if (frame.current !== null) void deed(frame.current);
  }, []);
  return (
    <div ref={frame} style={{ display: 'contents' }}>
      {children}
    </div>
  );
}

/** The first element that matches, as soon as there is one. */
export function found<E extends HTMLElement = HTMLElement>(
  frame: HTMLElement,
  selector: string,
  text = '',
): Promise<E> {
  const look = () =>
    [...frame.querySelectorAll<E>(selector)].find((one) => one.textContent?.includes(text));
  return new Promise((resolve) => {
    const now = look();
    if (now !== undefined) return resolve(now);
    const observer = new MutationObserver(() => {
      const later = look();
      if (later === undefined) return;
      observer.disconnect();
      resolve(later);
    });
    observer.observe(frame, { childList: true, subtree: true, characterData: true });
  });
}

/** Press the first button, row or link that matches. */
export function pressed(selector: string, text = '') {
  return async (frame: HTMLElement) => (await found(frame, selector, text)).click();
}

/** Type into the first field that matches, so that React handles it as a person's input. */
export function typed(selector: string, text: string) {
  return async (frame: HTMLElement) => {
    const field = await found<HTMLInputElement>(frame, selector);
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set;
    set?.call(field, text);
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  };
}
