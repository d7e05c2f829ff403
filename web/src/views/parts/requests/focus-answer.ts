/** The key that leads to an answer only moves the focus; what it does is for the next key. */

/** To the first button that answers, of the request that has the focus, else of any in view. */
export function focusAnswer(): void {
  const here = document.activeElement?.closest('[data-request]');
  const target =
    here?.querySelector<HTMLElement>(TARGET) ?? document.querySelector<HTMLElement>(TARGET);
  target?.focus();
}

const TARGET = '[data-answer-target]';
