/**
 * Button for a decision that cannot be pressed by accident: it is armed some time after it was last
 * drawn or changed, and after the last other key (`model/requests/arming.ts`).
 *
 * While it is not armed it can have the focus, and does nothing.
 */
import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Arming } from '../../../model/requests/arming.ts';
import { useFocusOnLeave } from '../focus-back.ts';

interface ArmedButtonProps {
  /** Subject of the decision: a new value disarms the button. */
  readonly of: unknown;
  readonly look: 'allow' | 'plain' | 'danger';
  readonly isDisabled?: boolean;
  readonly title?: string | undefined;
  /** Whether the key for the answer moves the focus here. */
  readonly isTarget?: boolean;
  /** Whether Enter in a field of its form presses it, armed as ever; else the focus moves here. */
  readonly isSubmit?: boolean;
  readonly onPress: () => void;
  /** Called when it is pressed while it is disabled. */
  readonly onRefused?: () => void;
  readonly children: ReactNode;
}

export function ArmedButton(props: ArmedButtonProps) {
  const {
    of,
    look,
    isDisabled = false,
    title,
    isTarget = false,
    isSubmit = false,
    onPress,
    onRefused,
    children,
  } = props;
  const button = useRef<HTMLButtonElement>(null);
  useFocusOnLeave(button);
  const [arming] = useState(() => new Arming(performance.now()));
  const isArmed = useArmed(arming, of, button);
  const press = (event: MouseEvent) => {
    event.preventDefault(); // a form is never sent, and may be gone by then
    // The time itself, not what was drawn of it.
    if (isDisabled) onRefused?.();
    else if (isArmed && arming.isArmed(performance.now())) onPress();
    else button.current?.focus();
  };
  return (
    <button
      ref={button}
      type={isSubmit ? 'submit' : 'button'}
      className={`ins-answer ins-answer--${look}${isArmed ? ' ins-answer--armed' : ''}`}
      title={title}
      aria-disabled={isDisabled || !isArmed}
      data-answer-target={isTarget || undefined}
      onClick={press}
    >
      {children}
    </button>
  );
}

/** Modifier keys. */
const MODIFIERS: ReadonlySet<string> = new Set(['Shift', 'Control', 'Alt', 'Meta', 'CapsLock']);

function useArmed(
  arming: Arming,
  of: unknown,
  button: { readonly current: HTMLButtonElement | null },
): boolean {
  const [armedFor, setArmedFor] = useState<unknown>(undefined);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const check = () => {
      const left_ms = arming.left_ms(performance.now());
      if (left_ms === 0) setArmedFor({ of });
      else timer = setTimeout(check, left_ms);
    };
    const disturb = () => {
      arming.disturb(performance.now());
      setArmedFor(undefined);
      clearTimeout(timer);
      check();
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (MODIFIERS.has(event.key)) return;
      const isPress = isPressOf(button.current, event);
      // The press itself; a key that is held down is none.
      if (isPress && !event.repeat && arming.isArmed(performance.now())) return;
      disturb();
    };
    disturb();
    window.addEventListener('keydown', onKeyDown, { capture: true });
    return () => {
      clearTimeout(timer);
      window.removeEventListener('keydown', onKeyDown, { capture: true });
    };
  }, [arming, of, button]);
  // What was armed for something else is not, already in the render that shows the change.
  return isArmedFor(armedFor, of);
}

/** Whether a key presses the button: one on it, or Enter in a field of the form that it submits. */
function isPressOf(button: HTMLButtonElement | null, { key, target }: KeyboardEvent): boolean {
  if (target === button) return key === 'Enter' || key === ' ';
  const isField = target instanceof HTMLInputElement && target.form !== null;
  return key === 'Enter' && isField && button?.type === 'submit' && target.form === button.form;
}

function isArmedFor(armed: unknown, of: unknown): boolean {
  return typeof armed === 'object' && armed !== null && 'of' in armed && Object.is(armed.of, of);
}
