/** Key that leads to an answer. It only moves the focus; the next key decides. */

/** To the first button that answers, of the request that has the focus, else of any in view. */
export function focusAnswer(): void {
  const here = document.activeElement?.closest('[data-request]');
  const target =
    here?.querySelector<HTMLElement>(TARGET) ?? document.querySelector<HTMLElement>(TARGET);
  target?.focus();
}

const TARGET = '[data-answer-target]';
