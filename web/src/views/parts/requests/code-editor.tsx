/**
 * Editor for JSON with folding, colours, completion and what is changed in place: CodeMirror.
 * Loaded when arguments are edited, and not before.
 *
 * It lives in a shadow root: there CodeMirror adopts its style sheets, while in the page it would
 * add `style` elements, which the page's content security policy forbids.
 */
import { autocompletion, closeCompletion, completionStatus } from '@codemirror/autocomplete';
import { history, historyKeymap, standardKeymap } from '@codemirror/commands';
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldInside,
  foldKeymap,
  foldNodeProp,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  LRLanguage,
  syntaxHighlighting,
} from '@codemirror/language';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension, Prec, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { parser } from '@lezer/json';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { REQUEST_TEXT } from '../../../texts.ts';
import type { LineMark, Place } from './edit-check.ts';
import { completeKeys } from './key-completion.ts';

interface CodeEditorProps {
  readonly initial: string;
  /** The text that it is compared with. */
  readonly original: string;
  readonly marks: readonly LineMark[];
  /** JSON Schema of the value; undefined: it is not known. */
  readonly schema: unknown;
  /** Where to begin; undefined: without the focus. */
  readonly place: Place | undefined;
  readonly onChange: (text: string) => void;
  /** Called for Escape when nothing of the editor is open. */
  readonly onLeave: () => void;
  /** Character to select; a new object selects it anew. */
  readonly goTo: { readonly at: number } | undefined;
}

export default function CodeEditor(props: CodeEditorProps) {
  const { marks, goTo } = props;
  const host = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<EditorView>();
  const latest = useRef(props);
  useLayoutEffect(() => {
    latest.current = props;
  });
  useLayoutEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const { initial, original, place } = latest.current;
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: initial,
        selection: { anchor: place?.from ?? 0, head: place?.to ?? 0 },
        extensions: [
          EDITING,
          unifiedMergeView({ original, gutter: true, mergeControls: undoControl }),
          // Before that of the completion, which also stops a completion that is not shown yet.
          Prec.highest(
            keymap.of([
              {
                key: 'Escape',
                run: (editor) => {
                  const isShown = completionStatus(editor.state) === 'active';
                  closeCompletion(editor);
                  if (!isShown) latest.current.onLeave();
                  return true;
                },
              },
            ]),
          ),
          autocompletion({ override: [completeKeys(() => latest.current.schema)], icons: false }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    // What Escape closes in the editor is all that it closes.
    const stay = (event: KeyboardEvent) => {
      if (event.key === 'Escape') event.stopPropagation();
    };
    element.addEventListener('keydown', stay);
    if (place !== undefined) made.focus();
    setView(made);
    return () => {
      element.removeEventListener('keydown', stay);
      made.destroy();
    };
  }, []);
  useEffect(() => {
    view?.dispatch({ effects: setMarks.of(marks) });
  }, [view, marks]);
  useEffect(() => {
    if (view === undefined || goTo === undefined) return;
    const { length } = view.state.doc;
    const anchor = Math.min(goTo.at, length);
    view.dispatch({
      selection: { anchor, head: Math.min(anchor + 1, length) },
      scrollIntoView: true,
    });
    view.focus();
  }, [view, goTo]);
  return <div ref={host} className="ins-editor__code" data-editor="" dir="ltr" />;
}

/** Button of a changed place: what it was before is put back. Nothing is to be accepted. */
function undoControl(type: 'reject' | 'accept', action: (event: MouseEvent) => void): HTMLElement {
  const button = document.createElement(type === 'reject' ? 'button' : 'span');
  if (button instanceof HTMLButtonElement) {
    button.type = 'button';
    // Tab leaves the editor; by key it is undone as everything else is.
    button.tabIndex = -1;
    button.textContent = REQUEST_TEXT.undoChange;
    button.className = 'ins-undo';
    // The focus stays in the text.
    button.onmousedown = (event) => {
      event.preventDefault();
      action(event);
    };
  }
  return button;
}

const setMarks = StateEffect.define<readonly LineMark[]>();

const MARKS = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (before, { changes, effects, state }) => {
    let now = before.map(changes);
    for (const effect of effects) {
      if (!effect.is(setMarks)) continue;
      const ranges = effect.value
        .filter(({ line }) => line <= state.doc.lines)
        .map(({ line, kind }) =>
          Decoration.line({ class: `ins-${kind}` }).range(state.doc.line(line).from),
        );
      now = Decoration.set(ranges, true);
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const JSON_LANGUAGE = LRLanguage.define({
  name: 'json',
  parser: parser.configure({ props: [foldNodeProp.add({ 'Object Array': foldInside })] }),
});

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--code-key)' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: tags.number, color: 'var(--code-number)' },
  { tag: [tags.bool, tags.null], color: 'var(--code-word)' },
]);

const LOOK = EditorView.theme({
  '&': {
    maxHeight: 'min(46vh, 560px)',
    color: 'var(--text)',
    font: 'var(--size-data) / 18px var(--font-data)',
    fontVariantLigatures: 'none',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { font: 'inherit', overflow: 'auto' },
  '.cm-content': { minHeight: '72px', padding: '8px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 12px 0 6px', wordBreak: 'break-all' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { background: 'color-mix(in oklch, var(--focus) 28%, transparent)' },
  '.cm-activeLine': { background: 'color-mix(in oklch, var(--hover) 55%, transparent)' },
  '.cm-gutters': { background: 'transparent', border: '0', color: 'var(--text-faint)' },
  '.cm-lineNumbers .cm-gutterElement': { fontSize: 'var(--size-small)', minWidth: '28px' },
  '.cm-foldGutter .cm-gutterElement': { cursor: 'pointer', color: 'var(--text-muted)' },
  '.cm-foldPlaceholder': {
    background: 'var(--hover)',
    border: '1px solid var(--line-strong)',
    color: 'var(--text-muted)',
    padding: '0 4px',
  },
  '.cm-matchingBracket': { background: 'var(--selected)' },
  '.cm-nonmatchingBracket': { background: 'var(--status-error-ground)' },
  '.cm-specialChar': { color: 'var(--status-waiting-text)' },
  '.ins-mistake': { background: 'var(--status-error-ground)' },
  '.ins-hidden': { background: 'var(--status-waiting-ground)' },
  '.cm-changedLine': { background: 'color-mix(in oklch, var(--status-ok) 11%, transparent)' },
  '.cm-changedText': {
    background: 'color-mix(in oklch, var(--status-ok) 26%, transparent)',
  },
  '.cm-deletedChunk': {
    background: 'color-mix(in oklch, var(--status-error) 9%, transparent)',
    padding: '0 12px 0 6px',
    wordBreak: 'break-all',
  },
  '.cm-deletedChunk .cm-deletedText': {
    background: 'color-mix(in oklch, var(--status-error) 26%, transparent)',
  },
  // The ground says more than colours on it could.
  '.cm-deletedChunk .cm-deletedText, .cm-deletedChunk .cm-deletedText *': { color: 'var(--text)' },
  '.cm-changeGutter': { width: '3px', paddingLeft: '0' },
  '.cm-changedLineGutter': { background: 'var(--status-ok)' },
  '.cm-deletedLineGutter': { background: 'var(--status-error)' },
  '.cm-chunkButtons button.ins-undo': {
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-small)',
    padding: '0 6px',
    margin: '1px 0',
    background: 'var(--surface)',
    color: 'var(--text)',
    font: 'var(--size-small) / 16px var(--font-words)',
    cursor: 'pointer',
  },
  '.cm-tooltip': {
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    background: 'var(--surface)',
    color: 'var(--text)',
    boxShadow: 'var(--shadow)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { font: 'inherit', maxHeight: '180px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    background: 'var(--selected)',
    color: 'var(--text)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: 'var(--weight-strong)' },
  '.cm-completionDetail': { color: 'var(--text-muted)', fontStyle: 'normal' },
  '.cm-completionInfo': { padding: '6px 8px', maxWidth: '280px', whiteSpace: 'pre-wrap' },
});

const EDITING: Extension = [
  // A text comes back with every character that it had.
  EditorState.lineSeparator.of('\n'),
  EditorState.tabSize.of(2),
  indentUnit.of('  '),
  lineNumbers(),
  foldGutter({ openText: '⌄', closedText: '›' }),
  codeFolding(),
  highlightSpecialChars(),
  highlightActiveLine(),
  drawSelection(),
  bracketMatching(),
  indentOnInput(),
  history(),
  MARKS,
  JSON_LANGUAGE,
  syntaxHighlighting(COLOURS),
  LOOK,
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({
    'aria-label': REQUEST_TEXT.argumentsAsJson,
    spellcheck: 'false',
    autocapitalize: 'off',
    autocorrect: 'off',
  }),
  EditorState.phrases.of({
    'Fold line': REQUEST_TEXT.foldLine,
    'Unfold line': REQUEST_TEXT.unfoldLine,
  }),
  // Tab is not among them: it leaves the editor.
  keymap.of([...standardKeymap, ...historyKeymap, ...foldKeymap]),
];
