/** Combobox (WAI-ARIA) for a session: by part of its title, id or address. */
import { type KeyboardEvent, useId, useState } from 'react';
import type { Session } from '../../api/types.ts';
import { sessionIdIn } from '../../model/sessions/comparison.ts';
import { plainLine } from '../../model/text/hidden-characters.ts';
import { sessionPath } from '../../state/route.ts';
import { COMPARE_TEXT } from '../../texts.ts';
import { useInspector, useRow } from '../parts/context.ts';
import { useFoundSessions } from '../parts/found-sessions.ts';
import { StatusIcon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { WriterMark } from '../parts/service-mark.tsx';
import { When } from '../parts/times.tsx';

interface SessionPickerProps {
  readonly label: string;
  /** Id of the chosen session; empty: none. */
  readonly id: string;
  /** Row of the chosen session, once it is known. */
  readonly session: Session | undefined;
  readonly onChoose: (id: string) => void;
}

export function SessionPicker({ label, id, session, onChoose }: SessionPickerProps) {
  const { sessions } = useInspector();
  const listed = useRow(sessions.rows, id);
  const shown = session?.id === id || listed === undefined ? session : listed;
  return (
    <section className="ins-picker" aria-label={label}>
      <SessionField label={label} chosen={[id]} onChoose={onChoose} />
      {id !== '' && (
        <p className="ins-picker__chosen">
          {shown !== undefined && <StatusIcon shape={shown.status} />}
          <Link
            className="ins-picker__title"
            title={plainLine(shown?.title || id)}
            to={sessionPath(id)}
          >
            {plainLine(shown?.title || id)}
          </Link>
          {shown !== undefined && (
            <small>
              <WriterMark id={id} />
              {shown.status}, <When at={shown.started_at} />
            </small>
          )}
        </p>
      )}
    </section>
  );
}

interface SessionFieldProps {
  readonly label: string;
  /** Ids that are not offered. */
  readonly chosen: readonly string[];
  readonly onChoose: (id: string) => void;
}

export function SessionField({ label, chosen, onChoose }: SessionFieldProps) {
  const list = useId();
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const found = useFoundSessions(isOpen ? text.trim() : '');
  const options = isOpen ? found.filter(({ id }) => !chosen.includes(id)) : [];
  const choose = (id: string) => {
    setText('');
    setOpen(false);
    setActive(-1);
    if (id !== '') onChoose(id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { length } = options;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setOpen(true);
      if (length > 0) setActive((active + step + length) % length);
    } else if (event.key === 'Enter') {
      // What is no title is an id, or an address that holds one.
      const only = length === 1 ? options[0] : undefined;
      choose((options[active] ?? only)?.id ?? sessionIdIn(text));
    } else if (event.key === 'Escape' && (isOpen || text !== '')) {
      setOpen(false);
      setText('');
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="ins-query">
      <label className="ins-search">
        <span className="ins-hidden">{label}</span>
        <input
          type="text"
          role="combobox"
          aria-expanded={options.length > 0}
          aria-controls={list}
          aria-activedescendant={active < 0 ? undefined : `${list}-${active}`}
          aria-autocomplete="list"
          placeholder={COMPARE_TEXT.pickerHint(label)}
          value={text}
          maxLength={1000}
          spellCheck={false}
          autoComplete="off"
          onFocus={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onChange={(event) => {
            setText(event.target.value);
            setOpen(true);
            setActive(-1);
          }}
          onKeyDown={onKeyDown}
        />
      </label>
      {options.length > 0 && (
        <div
          className="ins-query__list"
          role="listbox"
          id={list}
          aria-label={COMPARE_TEXT.sessions}
        >
          {options.map((session, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
            // biome-ignore lint/a11y/useKeyWithClickEvents: its keys are those of the field
            <div
              key={session.id}
              role="option"
              id={`${list}-${index}`}
              aria-selected={index === active}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(session.id)}
            >
              <b title={plainLine(session.title || session.id)}>
                {plainLine(session.title || session.id, 60)}
              </b>
              <span>
                <WriterMark id={session.id} />
                {session.status}, <When at={session.started_at} />
              </span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
