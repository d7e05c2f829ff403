/** Query field of the list, with completion, and below it the mistake in the query. */
import { type KeyboardEvent, type Ref, useEffect, useId, useMemo, useRef, useState } from 'react';
import { accept, beginsField, type Suggestion } from '../../model/query/completion.ts';
import { MAX_QUERY_CHARS } from '../../model/query/query-fields.gen.ts';
import { mended } from '../../model/query/query-terms.ts';
import type { LoadState } from '../../state/sessions.ts';
import { useActions } from './actions.ts';
import { useInspector, usePreferences } from './context.ts';
import { flipSaved, noteFilter, useSuggestions } from './filter-suggestions.ts';
import { useFieldFocus } from './focus-back.ts';
import { ActionIcon } from './icons.tsx';
import './search-field.css';
import './query-field.css';
import { PARTS_TEXT } from '../../texts.ts';

interface QueryFieldProps {
  readonly value: string;
  readonly problem: QueryProblem | undefined;
  readonly onChange: (value: string) => void;
  readonly ref: Ref<HTMLInputElement>;
  /** Purpose of the field, for screen readers. */
  readonly label?: string;
  /** Whether an empty field offers terms as soon as it has the focus. */
  readonly offersOnFocus?: boolean;
}

/** Mistake in a query, with its position. */
interface QueryProblem {
  readonly query: string;
  readonly message: string;
  readonly position: number;
  readonly length: number;
  /** Suggested replacement. */
  readonly suggestion: string | undefined;
}

/** Mistake in a query, from the service's problem details; undefined for any other error. */
export function queryProblem(query: string, state: LoadState): QueryProblem | undefined {
  if (state.kind !== 'failed' || typeof state.problem?.position !== 'number') return undefined;
  const { position, length, suggestion } = state.problem;
  return {
    query,
    message: state.message,
    position,
    length: length ?? 0,
    suggestion: suggestion ?? undefined,
  };
}

export function QueryField(props: QueryFieldProps) {
  const { value, problem, onChange, ref, label, offersOnFocus = true } = props;
  const id = useId();
  // What is typed shows at once, whatever the address does.
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const [caret, setCaret] = useState<number>();
  const [active, setActive] = useState(-1);
  const nextCaret = useRef<number>(undefined);
  const input = useRef<HTMLInputElement>(null);
  const { preferences } = useInspector();
  const isSaved = usePreferences().savedFilters.includes(text.trim());
  const at = useSuggestions(text, caret);
  const suggestions = at?.suggestions ?? [];
  const isOpen = suggestions.length > 0;

  // biome-ignore lint/correctness/useExhaustiveDependencies: once the text that was taken stands
  useEffect(() => {
    if (nextCaret.current === undefined) return;
    input.current?.setSelectionRange(nextCaret.current, nextCaret.current);
    nextCaret.current = undefined;
  }, [text]);

  const change = (next: string, place: number | undefined) => {
    setText(next);
    setCaret(place);
    setActive(-1);
    if (place === undefined || !beginsField(next, place)) onChange(next);
  };
  /** Close the offer; what is written counts as it stands. */
  const close = () => {
    setCaret(undefined);
    onChange(text);
  };
  const choose = (suggestion: Suggestion) => {
    if (at === undefined) return;
    const [next, place] = accept(text, { ...at, suggestions }, suggestion);
    nextCaret.current = place;
    change(next, place);
  };
  const { onFocus, leave } = useFieldFocus();
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (isOpen && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setActive((active + step + suggestions.length) % suggestions.length);
      event.preventDefault();
    }
    const chosen = suggestions[active] ?? (event.key === 'Tab' ? suggestions[0] : undefined);
    const isAccepting = event.key === 'Enter' || (event.key === 'Tab' && !event.shiftKey);
    if (isOpen && isAccepting && chosen !== undefined) {
      event.preventDefault();
      choose(chosen);
    } else if (event.key === 'Enter') {
      note();
      close();
    }
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    if (isOpen) close();
    else if (text === '') leave();
    else change('', undefined);
  };
  const shown = problem?.query === text.trim() ? problem : undefined;
  const note = () => {
    if (shown === undefined) noteFilter(preferences, text);
  };
  const right = shown && mended(shown);
  const mend = () => {
    if (right === undefined) return;
    change(right, undefined);
    input.current?.focus();
  };
  const latestMend = useRef(mend);
  useEffect(() => {
    latestMend.current = mend;
  });
  const suggested = shown?.suggestion;
  const actions = useMemo(() => {
    if (text.trim() === '') return [];
    const save = {
      name: isSaved ? PARTS_TEXT.forgetFilter : PARTS_TEXT.saveFilter,
      run: () => flipSaved(preferences, text),
    };
    if (suggested === undefined) return [save];
    return [save, { name: PARTS_TEXT.filterBy(suggested), run: () => latestMend.current() }];
  }, [preferences, text, isSaved, suggested]);
  useActions('Session list', actions);

  return (
    <div className="ins-query">
      <label className={`ins-search${shown === undefined ? '' : ' ins-search--wrong'}`}>
        <ActionIcon name="search" />
        <input
          ref={(element) => {
            input.current = element;
            if (typeof ref === 'function') ref(element);
            else if (ref !== null && ref !== undefined) ref.current = element;
          }}
          type="text"
          role="combobox"
          aria-label={label ?? PARTS_TEXT.filter}
          aria-expanded={isOpen}
          aria-controls={`${id}-list`}
          aria-activedescendant={active < 0 ? undefined : `${id}-${active}`}
          aria-autocomplete="list"
          aria-invalid={shown !== undefined}
          aria-describedby={`${id}-problem`}
          value={text}
          maxLength={MAX_QUERY_CHARS}
          placeholder="status:failed tool:git_* &quot;merge conflict&quot;"
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => change(event.target.value, event.target.selectionStart ?? undefined)}
          onKeyDown={onKeyDown}
          onFocus={(event) => {
            onFocus(event);
            if (text === '' && offersOnFocus) setCaret(0);
          }}
          onClick={() => text === '' && setCaret(0)}
          onBlur={() => {
            note();
            close();
          }}
        />
        {text === '' && <kbd aria-hidden="true">/</kbd>}
        {text.trim() !== '' && (
          <button
            type="button"
            className="ins-query__save"
            aria-pressed={isSaved}
            aria-label={PARTS_TEXT.savedFilter}
            title={isSaved ? PARTS_TEXT.forgetFilter : PARTS_TEXT.saveFilter}
            onClick={() => flipSaved(preferences, text)}
          >
            <ActionIcon name="star" />
          </button>
        )}
      </label>
      {isOpen && (
        <div
          className="ins-query__list"
          role="listbox"
          id={`${id}-list`}
          aria-label={PARTS_TEXT.suggestions}
        >
          {suggestions.map((one, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
            // biome-ignore lint/a11y/useKeyWithClickEvents: its keys are those of the field
            <div
              key={one.text}
              role="option"
              id={`${id}-${index}`}
              aria-selected={index === active}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(one)}
            >
              <code>{one.text}</code>
              <span className="ins-query__detail">{one.detail}</span>
            </div>
          ))}
        </div>
      )}
      <p
        className="ins-query__problem"
        id={`${id}-problem`}
        role="status"
        hidden={shown === undefined}
      >
        {shown !== undefined && <Pointed problem={shown} onMend={mend} />}
      </p>
    </div>
  );
}

interface PointedProps {
  readonly problem: QueryProblem;
  readonly onMend: () => void;
}

/** The query with the mistake marked: positions count characters, not UTF-16. */
function Pointed({ problem, onMend }: PointedProps) {
  const characters = [...problem.query];
  const end = problem.position + Math.max(problem.length, 1);
  return (
    <>
      <code>
        {characters.slice(0, problem.position).join('')}
        <mark>{characters.slice(problem.position, end).join('') || '\u00a0'}</mark>
        {characters.slice(end).join('')}
      </code>{' '}
      <Advice problem={problem} onMend={onMend} />
    </>
  );
}

/** The service's message; a click accepts its suggestion. */
function Advice({ problem: { message, suggestion }, onMend }: PointedProps) {
  if (suggestion === undefined) return message;
  const question = `Did you mean ${suggestion}?`;
  const [before, ...after] = message.split(question);
  return (
    <>
      {before}
      <button type="button" className="ins-link" onClick={onMend}>
        {question}
      </button>
      {after.join(question)}
    </>
  );
}
