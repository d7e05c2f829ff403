/** Search field: Escape empties it, then gives the focus back. */
import { type KeyboardEvent, type Ref, useEffect, useState } from 'react';
import { useFieldFocus } from './focus-back.ts';
import { ActionIcon } from './icons.tsx';
import './search-field.css';

interface SearchFieldProps {
  readonly value: string;
  readonly label: string;
  readonly placeholder: string;
  readonly onChange: (value: string) => void;
  readonly onEnter?: (isShift: boolean) => void;
  readonly ref?: Ref<HTMLInputElement>;
  /** Whether the key `/` focuses it. */
  readonly hasKey?: boolean;
}

export function SearchField({
  value,
  label,
  placeholder,
  onChange,
  onEnter,
  ref,
  hasKey = true,
}: SearchFieldProps) {
  // What is typed shows at once, whatever the address does.
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const change = (next: string) => {
    setText(next);
    onChange(next);
  };
  const { onFocus, leave } = useFieldFocus();
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter') onEnter?.(event.shiftKey);
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    if (text === '') leave();
    else change('');
  };
  return (
    <label className="ins-search">
      <ActionIcon name="search" />
      <span className="ins-hidden">{label}</span>
      <input
        ref={ref}
        type="text"
        value={text}
        placeholder={placeholder}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => change(event.target.value)}
        onFocus={onFocus}
        onKeyDown={onKeyDown}
      />
      {hasKey && text === '' && <kbd aria-hidden="true">/</kbd>}
    </label>
  );
}
