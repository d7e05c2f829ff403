/** Completion of keys by the JSON Schema of a value, for the editor. */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { SyntaxNode } from '@lezer/common';
import { keysAt, type SchemaKey } from '../../../model/requests/schema-keys.ts';

/** `schema` is called with each key that is typed, since a schema may come later than the text. */
export function completeKeys(
  schema: () => unknown,
): (context: CompletionContext) => CompletionResult | null {
  return (context) => {
    const { state, pos, explicit } = context;
    const typed = context.matchBefore(/"?[^\s"{}[\],:]*$/);
    if (typed === null || (typed.text === '' && !explicit)) return null;
    const object = objectAt(state, typed.from);
    if (object === undefined) return null;
    const known = new Set(membersOf(state, object, pos));
    const keys = keysAt(schema(), pathOf(state, object)).filter(({ key }) => !known.has(key));
    if (keys.length === 0) return null;
    const from = typed.text.startsWith('"') ? typed.from + 1 : typed.from;
    return { from, options: keys.map(optionOf), validFor: /^[^\s"{}[\],:]*$/ };
  };
}

/** The object that has a key at a place; undefined: there is a value, or a string. */
function objectAt(state: EditorState, at: number): SyntaxNode | undefined {
  const before = state.sliceDoc(Math.max(0, at - 1000), at).trimEnd();
  if (!/[{,]$/.test(before)) return undefined;
  let node: SyntaxNode | null = syntaxTree(state).resolveInner(at, -1);
  if (node.name === 'String') return undefined;
  while (node !== null && node.name !== 'Object' && node.name !== 'Array') node = node.parent;
  return node?.name === 'Object' ? node : undefined;
}

/** Keys that an object has, apart from the one at the cursor. */
function membersOf(state: EditorState, object: SyntaxNode, cursor: number): readonly string[] {
  return object
    .getChildren('Property')
    .flatMap((property) => property.getChildren('PropertyName'))
    .filter(({ from, to }) => cursor < from || cursor > to)
    .map((name) => keyOf(state, name));
}

function keyOf(state: EditorState, { from, to }: SyntaxNode): string {
  const source = state.sliceDoc(from, to);
  try {
    return String(JSON.parse(source));
  } catch {
    return source;
  }
}

function pathOf(state: EditorState, object: SyntaxNode): readonly (string | null)[] {
  const path: (string | null)[] = [];
  for (let node = object.parent; node !== null; node = node.parent) {
    const name = node.name === 'Property' ? node.getChild('PropertyName') : null;
    if (name !== null) path.unshift(keyOf(state, name));
    else if (node.name === 'Array') path.unshift(null);
  }
  return path;
}

function optionOf({ key, type, description, isRequired }: SchemaKey): Completion {
  return {
    label: key,
    type: 'property',
    detail: isRequired ? `${type}, required` : type,
    ...(description === '' ? {} : { info: description }),
    boost: isRequired ? 1 : 0,
    apply: (view, _, from, to) => apply(view, key, from, to),
  };
}

/** Write the key in quotes, with a colon unless there is one. */
function apply(view: EditorView, key: string, from: number, to: number): void {
  const { state } = view;
  const start = state.sliceDoc(from - 1, from) === '"' ? from - 1 : from;
  const rest = state.sliceDoc(to, to + 200);
  const quoted = /^[^\s"{}[\],:]*"/.exec(rest)?.[0].length ?? 0;
  const insert = JSON.stringify(key) + (/^\s*:/.test(rest.slice(quoted)) ? '' : ': ');
  view.dispatch({
    changes: { from: start, to: to + quoted, insert },
    selection: { anchor: start + insert.length },
    userEvent: 'input.complete',
  });
}
