/** Form of a denial, with its reason: Enter in the reason is a press of its button. */
import { type KeyboardEvent, useRef } from 'react';
import { REQUEST_TEXT } from '../../../texts.ts';
import { useFocusOnLeave } from '../focus-back.ts';
import { ArmedButton } from './armed-button.tsx';

interface DenialFormProps {
  /** What is denied: a new value disarms the button. */
  readonly of: unknown;
  /** Name of the form, where it is not part of a card. */
  readonly name?: string;
  readonly label: string;
  readonly reason: string;
  readonly onReason: (reason: string) => void;
  /** Called with the reason, or without one. */
  readonly onDeny: (reason: { readonly reason?: string }) => void;
  /** Take the question back; the form's opener has the focus then. */
  readonly onBack: () => void;
}

export function DenialForm({ of, name, label, reason, ...on }: DenialFormProps) {
  const text = reason.trim();
  const form = useRef<HTMLFormElement>(null);
  useFocusOnLeave(form);
  return (
    <form
      ref={form}
      className="ins-request__answers"
      aria-label={name}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        on.onBack();
      }}
    >
      <label className="ins-request__reason">
        <span>{REQUEST_TEXT.reason}</span>
        <input
          // biome-ignore lint/a11y/noAutofocus: the reader has just asked for this field
          autoFocus
          maxLength={4000}
          value={reason}
          onChange={(event) => on.onReason(event.target.value)}
        />
      </label>
      <ArmedButton
        of={of}
        look="danger"
        isSubmit
        onPress={() => on.onDeny(text === '' ? {} : { reason: text })}
      >
        {label}
      </ArmedButton>
      <button
        type="button"
        className="ins-answer ins-answer--plain ins-answer--armed"
        onClick={on.onBack}
      >
        {REQUEST_TEXT.back}
      </button>
    </form>
  );
}
