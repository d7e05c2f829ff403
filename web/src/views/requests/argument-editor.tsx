/**
 * A text area over the JSON text itself, with numbers of lines.
 *
 * Up to `MAX_WRAPPED` characters long lines wrap, and a copy of the text that is not seen gives
 * each number its place. Beyond it lines do not wrap, and only the numbers in view are drawn.
 */
import { type KeyboardEvent, memo, useEffect, useMemo, useRef, useState } from 'react';
import './argument-editor.css';

export interface LineMark {
  /** From 1. */
  readonly line: number;
  readonly kind: 'mistake' | 'hidden';
}

interface ArgumentEditorProps {
  readonly initial: string;
  readonly marks: readonly LineMark[];
  readonly onChange: (text: string) => void;
  /** Escape was pressed. */
  readonly onLeave: () => void;
  /** Set it to have a place in the text selected. */
  readonly goTo: { readonly at: number } | undefined;
}

const MAX_WRAPPED = 40_000;
const LINE_PX = 18;

export function ArgumentEditor({ initial, marks, onChange, onLeave, goTo }: ArgumentEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(initial);
  // Decided once: it must not change while one types.
  const [isWrapped] = useState(initial.length <= MAX_WRAPPED);
  const [scroll_px, setScroll] = useState(0);
  useEffect(() => {
    area.current?.focus();
  }, []);
  useEffect(() => {
    if (goTo === undefined || area.current === null) return;
    area.current.focus();
    area.current.setSelectionRange(goTo.at, goTo.at + 1);
  }, [goTo]);
  const kinds = useMemo(() => new Map(marks.map(({ line, kind }) => [line, kind])), [marks]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    onLeave();
  };
  return (
    <div className={`ins-editor ins-editor--${isWrapped ? 'wrapped' : 'long'}`}>
      {isWrapped ? (
        <Mirror text={text} kinds={kinds} />
      ) : (
        <Numbers text={text} kinds={kinds} scroll_px={scroll_px} />
      )}
      <textarea
        ref={area}
        className="ins-editor__area"
        aria-label="Arguments as JSON"
        defaultValue={initial}
        dir="ltr"
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        autoCorrect="off"
        wrap={isWrapped ? 'soft' : 'off'}
        onKeyDown={onKeyDown}
        onScroll={(event) => setScroll(event.currentTarget.scrollTop)}
        onChange={(event) => {
          setText(event.target.value);
          onChange(event.target.value);
        }}
      />
    </div>
  );
}

type Kinds = ReadonlyMap<number, LineMark['kind']>;

/** The same text in the same place, not seen: it makes the height, and places the numbers. */
function Mirror({ text, kinds }: { readonly text: string; readonly kinds: Kinds }) {
  return (
    <div className="ins-editor__mirror" aria-hidden="true">
      {text.split('\n').map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
        <MirrorLine key={at} number={at + 1} text={line} kind={kinds.get(at + 1)} />
      ))}
    </div>
  );
}

interface MirrorLineProps {
  readonly number: number;
  readonly text: string;
  readonly kind: LineMark['kind'] | undefined;
}

const MirrorLine = memo(function MirrorLine({ number, text, kind }: MirrorLineProps) {
  return (
    <div
      className={kind === undefined ? undefined : `ins-editor__line--${kind}`}
      data-line={number}
    >
      {text === '' ? '\u200b' : text}
    </div>
  );
});

interface NumbersProps {
  readonly text: string;
  readonly kinds: Kinds;
  readonly scroll_px: number;
}

const SHOWN_LINES = 60;

function Numbers({ text, kinds, scroll_px }: NumbersProps) {
  const count = useMemo(() => countLines(text), [text]);
  const first = Math.floor(scroll_px / LINE_PX);
  const shown = Math.max(0, Math.min(SHOWN_LINES, count - first));
  return (
    <div className="ins-editor__numbers" aria-hidden="true">
      <div style={{ transform: `translateY(${first * LINE_PX - scroll_px}px)` }}>
        {Array.from({ length: shown }, (_, at) => {
          const number = first + at + 1;
          const kind = kinds.get(number);
          return (
            <div
              key={number}
              className={kind === undefined ? undefined : `ins-editor__line--${kind}`}
            >
              {number}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
