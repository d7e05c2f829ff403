/**
 * Editor of the JSON text itself. It is CodeMirror once that is loaded; until then, where it cannot
 * be had, and for a long text, which is edited in parts, a text area with line numbers.
 *
 * An invisible copy of the text lies below the text area: its lines wrap at the same places, and
 * carry the numbers and marks.
 */
import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { PartedText } from '../../../model/text/parted-text.ts';
import { PARTS_TEXT, REQUEST_TEXT } from '../../../texts.ts';
import type CodeEditor from './code-editor.tsx';
import type { LineMark, Place } from './edit-check.ts';
import './argument-editor.css';

interface ArgumentEditorProps {
  readonly initial: string;
  /** The text without edits. */
  readonly original: string;
  /** JSON Schema of the arguments; undefined: it is not known. */
  readonly schema: unknown;
  readonly marks: readonly LineMark[];
  readonly onChange: (text: string) => void;
  /** Called when Escape is pressed. */
  readonly onLeave: () => void;
  /** Character to select; a new object selects it anew. */
  readonly goTo: { readonly at: number } | undefined;
  /** What is changed, where the editor does not show it. */
  readonly changes: ReactNode;
}

export function ArgumentEditor(props: ArgumentEditorProps) {
  const { initial, changes, ...others } = props;
  const [parted] = useState(() => new PartedText(initial));
  const code = useCodeEditor(parted.count === 1);
  if (code.Editor !== undefined) {
    return <code.Editor initial={parted.whole} place={code.place} {...others} />;
  }
  return (
    <>
      <PlainEditor parted={parted} onTyped={code.keep} {...others} />
      {changes}
    </>
  );
}

/** Whether style sheets can be adopted; CodeMirror needs that here. */
const CAN_ADOPT = typeof Document !== 'undefined' && 'adoptedStyleSheets' in Document.prototype;

interface Code {
  readonly Editor?: typeof CodeEditor;
  /** Where the cursor was when it came. */
  readonly place?: Place | undefined;
}

/** The editor, once it is loaded, unless somebody has begun to type by then (`keep`). */
function useCodeEditor(isWanted: boolean): Code & { readonly keep: () => void } {
  const [code, setCode] = useState<Code>({});
  const isTouched = useRef(false);
  useEffect(() => {
    if (!isWanted || !CAN_ADOPT) return;
    let isHere = true;
    import('./code-editor.tsx').then(
      ({ default: Editor }) => {
        if (isHere && !isTouched.current)
          setCode({ Editor, place: placeOf(document.activeElement) });
      },
      // The text area does as well.
      () => {},
    );
    return () => {
      isHere = false;
    };
  }, [isWanted]);
  const keep = useCallback(() => {
    isTouched.current = true;
  }, []);
  return { ...code, keep };
}

/** Selection of the text area, if it has the focus. */
function placeOf(focused: Element | null): Place | undefined {
  if (!(focused instanceof HTMLTextAreaElement) || !focused.matches('.ins-editor__area'))
    return undefined;
  return { from: focused.selectionStart, to: focused.selectionEnd };
}

interface PlainEditorProps
  extends Pick<ArgumentEditorProps, 'marks' | 'onChange' | 'onLeave' | 'goTo'> {
  readonly parted: PartedText;
  readonly onTyped: () => void;
}

function PlainEditor({ parted, marks, onChange, onTyped, onLeave, goTo }: PlainEditorProps) {
  const [part, setPart] = useState(0);
  const [selection, select] = useState<Place>({ from: 0, to: 0 });
  useEffect(() => {
    if (goTo === undefined) return;
    const { part: next, offset } = parted.locate(goTo.at);
    setPart(next);
    select({ from: offset, to: offset + 1 });
  }, [goTo, parted]);
  const find = (text: string, from: number) => {
    const whole = parted.whole;
    const after = whole.indexOf(text, from);
    const at = after < 0 ? whole.indexOf(text) : after;
    if (at < 0) return undefined;
    const place = parted.locate(at);
    setPart(place.part);
    select({ from: place.offset, to: place.offset + text.length });
    return at;
  };
  return (
    <>
      {parted.count > 1 && (
        <Parts
          count={parted.count}
          part={part}
          onPart={(next) => {
            setPart(next);
            select({ from: 0, to: 0 });
          }}
          onFind={find}
        />
      )}
      <PartArea
        key={part}
        initial={parted.part(part)}
        firstLine={parted.firstLine(part)}
        selection={selection}
        marks={marks}
        onLeave={onLeave}
        onTyped={onTyped}
        onChange={(text) => {
          parted.change(part, text);
          onChange(parted.whole);
        }}
      />
    </>
  );
}

interface PartsProps {
  readonly count: number;
  readonly part: number;
  readonly onPart: (part: number) => void;
  /** Searches from a position and selects the match; returns its position, undefined: none. */
  readonly onFind: (text: string, from: number) => number | undefined;
}

function Parts({ count, part, onPart, onFind }: PartsProps) {
  const [text, setText] = useState('');
  const [found, setFound] = useState<number | undefined>(-1);
  const findNext = () => text !== '' && setFound(onFind(text, (found ?? -1) + 1));
  return (
    <div className="ins-editor__parts">
      <button
        type="button"
        className="ins-link"
        disabled={part === 0}
        onClick={() => onPart(part - 1)}
      >
        {REQUEST_TEXT.back}
      </button>
      <span>{PARTS_TEXT.page(part + 1, count)}</span>
      <button
        type="button"
        className="ins-link"
        disabled={part === count - 1}
        onClick={() => onPart(part + 1)}
      >
        {PARTS_TEXT.next}
      </button>
      <input
        type="text"
        aria-label={REQUEST_TEXT.findLabel}
        placeholder={REQUEST_TEXT.findPlaceholder}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setFound(-1);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          // The focus moves to the text area, which must not take the key as its own.
          event.preventDefault();
          findNext();
        }}
      />
      <button type="button" className="ins-link" onClick={findNext}>
        {REQUEST_TEXT.find}
      </button>
      {found === undefined && <span role="status">{REQUEST_TEXT.notFound}</span>}
    </div>
  );
}

interface PartAreaProps {
  readonly initial: string;
  readonly firstLine: number;
  readonly selection: Place;
  readonly marks: readonly LineMark[];
  readonly onChange: (text: string) => void;
  readonly onTyped: () => void;
  readonly onLeave: () => void;
}

function PartArea(props: PartAreaProps) {
  const { initial, firstLine, selection, marks, onChange, onTyped, onLeave } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(initial);
  useEffect(() => {
    area.current?.focus();
    area.current?.setSelectionRange(selection.from, selection.to);
  }, [selection]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    onLeave();
  };
  return (
    <div className="ins-editor">
      <div className="ins-editor__sheet">
        <Mirror text={text} firstLine={firstLine} marks={marks} />
        <textarea
          ref={area}
          className="ins-editor__area"
          aria-label={REQUEST_TEXT.argumentsAsJson}
          defaultValue={initial}
          dir="ltr"
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          autoCorrect="off"
          onKeyDown={onKeyDown}
          // Before a text that is composed is there, too.
          onCompositionStart={onTyped}
          onBeforeInput={onTyped}
          onChange={(event) => {
            onTyped();
            setText(event.target.value);
            onChange(event.target.value);
          }}
        />
      </div>
    </div>
  );
}

interface MirrorProps {
  readonly text: string;
  readonly firstLine: number;
  readonly marks: readonly LineMark[];
}

/** Invisible copy of the text in the same place: it gives the height, and positions the numbers. */
function Mirror({ text, firstLine, marks }: MirrorProps) {
  const kinds = useMemo(() => new Map(marks.map(({ line, kind }) => [line, kind])), [marks]);
  return (
    <div className="ins-editor__mirror" aria-hidden="true">
      {text.split('\n').map((line, at) => (
        <MirrorLine
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
          key={at}
          number={firstLine + at}
          text={line}
          kind={kinds.get(firstLine + at)}
        />
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
      {text === '' ? '\u00a0' : text}
    </div>
  );
});
