/**
 * Palette of all actions, found by typing a part of their name (combobox with a listbox, WAI-ARIA).
 *
 * It lists the actions of the mounted views. It presses no button that answers or cancels: the
 * items for those focus the button, which is armed later.
 */
import {
  type KeyboardEvent,
  useDeferredValue,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import { keyName } from '../../model/keys/key-names.ts';
import { withRecent } from '../../state/preferences.ts';
import { ACTION_TEXT, PALETTE_TEXT, SHELL_TEXT } from '../../texts.ts';
import { useCell, useInspector } from '../parts/context.ts';
import { ActionIcon } from '../parts/icons.tsx';
import { isMac } from '../parts/platform.ts';
import { useSessionItems, useSpanItems } from './found.ts';
import { arrange, type FoundItem, type Item, itemsOf, type Section } from './items.ts';
import './palette.css';

interface PaletteProps {
  /** What was typed before it was loaded; taken over once. */
  readonly typed?: { current: string; isEntered: boolean };
  /** Whether it lists only actions on the selection. */
  readonly isSelectionOnly: boolean;
  readonly onClose: () => void;
}

export function Palette({ typed, isSelectionOnly, onClose }: PaletteProps) {
  const id = useId();
  const { preferences } = useInspector();
  const dialog = useRef<HTMLDialogElement>(null);
  const [query, setQuery] = useState(typed?.current ?? '');
  const shown = useDeferredValue(query);
  const sections = useSections(shown, isSelectionOnly);
  const flat = sections.flatMap(({ found }) => found);
  const [wanted, setActive] = useState(0);
  const active = Math.min(wanted, flat.length - 1);
  useEffect(() => {
    dialog.current?.showModal();
    if (typed !== undefined) Object.assign(typed, { current: '', isEntered: false });
  }, [typed]);
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, active]);

  /** At once: the event of a closed dialog comes later, when another may be open. */
  const close = () => {
    dialog.current?.close();
    onClose();
  };
  const choose = (item: Item) => {
    const { recentActions } = preferences.get();
    preferences.change({ recentActions: withRecent(recentActions, item.id) });
    // The focus is where it was before what was chosen may move it.
    close();
    item.run();
  };
  const chooseActive = () => {
    const chosen = flat[active];
    if (chosen !== undefined) choose(chosen.item);
  };
  // Who types fast presses Enter before the list is that of what was typed: it waits for it.
  const isEnterDue = useRef(typed?.isEntered ?? false);
  useEffect(() => {
    if (!isEnterDue.current || shown !== query) return;
    isEnterDue.current = false;
    chooseActive();
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const to = target(event.key, active, flat.length);
    if (to !== undefined) setActive(to);
    else if (event.key !== 'Enter') return;
    else if (shown === query) chooseActive();
    else isEnterDue.current = true;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too
    <dialog
      ref={dialog}
      className="ins-palette"
      aria-label={isSelectionOnly ? ACTION_TEXT.selection : SHELL_TEXT.palette}
      onClose={onClose}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) close();
      }}
    >
      <label className="ins-palette__field">
        <ActionIcon name="search" />
        <span className="ins-hidden">{PALETTE_TEXT.label}</span>
        <input
          type="text"
          role="combobox"
          aria-expanded={flat.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={flat.length > 0 ? `${id}-${active}` : undefined}
          aria-autocomplete="list"
          placeholder={
            isSelectionOnly ? PALETTE_TEXT.selectionPlaceholder : PALETTE_TEXT.placeholder
          }
          value={query}
          maxLength={200}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => {
            setQuery(event.target.value);
            setActive(0);
            isEnterDue.current = false;
          }}
          onKeyDown={onKeyDown}
        />
      </label>
      <div
        className="ins-palette__list"
        role="listbox"
        id={`${id}-list`}
        aria-label={PALETTE_TEXT.results}
      >
        <Sections
          id={id}
          sections={sections}
          active={active}
          onChoose={choose}
          onPoint={setActive}
        />
      </div>
      <p className="ins-palette__none" role="status">
        {flat.length === 0 && PALETTE_TEXT.none}
      </p>
      <p className="ins-palette__foot" aria-hidden="true">
        <kbd>↑</kbd> <kbd>↓</kbd> {PALETTE_TEXT.navigate} <kbd>Enter</kbd> {PALETTE_TEXT.select}{' '}
        <kbd>Esc</kbd> {PALETTE_TEXT.close}
      </p>
    </dialog>
  );
}

function useSections(query: string, isSelectionOnly: boolean): readonly Section[] {
  const { actions, preferences } = useInspector();
  const groups = useCell(actions.groups);
  // As it was when the palette opened: nothing moves below the pointer.
  const [recent] = useState(() => preferences.get().recentActions);
  const sessions = useSessionItems(query.trim());
  const spans = useSpanItems(query.trim());
  return useMemo(() => {
    const items = itemsOf(groups, isSelectionOnly);
    const data = isSelectionOnly ? [] : [...sessions, ...spans];
    return arrange([...items, ...data], query, recent);
  }, [groups, sessions, spans, query, recent, isSelectionOnly]);
}

/** Index that a key moves to in a list of `count`; wraps around at the ends. */
function target(key: string, active: number, count: number): number | undefined {
  if (count === 0) return undefined;
  switch (key) {
    case 'ArrowDown':
      return (active + 1) % count;
    case 'ArrowUp':
      return (active - 1 + count) % count;
    case 'PageDown':
      return Math.min(active + 8, count - 1);
    case 'PageUp':
      return Math.max(active - 8, 0);
    default:
      return undefined;
  }
}

interface SectionsProps {
  readonly id: string;
  readonly sections: readonly Section[];
  readonly active: number;
  readonly onChoose: (item: Item) => void;
  readonly onPoint: (at: number) => void;
}

function Sections({ id, sections, active, onChoose, onPoint }: SectionsProps) {
  let next = 0;
  return sections.map(({ where, found }) => {
    const first = next;
    next += found.length;
    return (
      <div key={where} role="group" aria-label={where} className="ins-palette__section">
        <div className="ins-palette__where" aria-hidden="true">
          {where}
        </div>
        {found.map((one, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
          // biome-ignore lint/a11y/useKeyWithClickEvents: its keys are those of the field
          <div
            key={one.item.id}
            role="option"
            id={`${id}-${first + index}`}
            aria-selected={first + index === active}
            onPointerDown={(event) => event.preventDefault()}
            onPointerMove={() => onPoint(first + index)}
            onClick={() => onChoose(one.item)}
          >
            <Name {...one} />
            {one.item.detail !== undefined && <small>{one.item.detail}</small>}
            {one.item.keys?.[0] !== undefined && <kbd>{keyName(one.item.keys[0], isMac())}</kbd>}
          </div>
        ))}
      </div>
    );
  });
}

/** The name of an item, with the matched characters marked. */
function Name({ item, at }: FoundItem) {
  const marked = new Set(at);
  const pieces: { from: number; to: number; isMarked: boolean }[] = [];
  for (let place = 0; place < item.name.length; place += 1) {
    const last = pieces.at(-1);
    const isMarked = marked.has(place);
    if (last !== undefined && last.isMarked === isMarked) last.to = place + 1;
    else pieces.push({ from: place, to: place + 1, isMarked });
  }
  return (
    <span className="ins-palette__name" title={item.name}>
      {pieces.map(({ from, to, isMarked }) =>
        isMarked ? <mark key={from}>{item.name.slice(from, to)}</mark> : item.name.slice(from, to),
      )}
    </span>
  );
}
