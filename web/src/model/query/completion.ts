/** Completion of a query: names of fields, and values of fields with few values. */
import { SUGGESTION_TEXT } from '../../texts.ts';
import { QUERY_FIELDS, type QueryField } from './query-fields.gen.ts';

export interface Suggestion {
  /** Text in the query once it is accepted. */
  readonly text: string;
  readonly detail: string;
}

interface Completion {
  /** The part of the query that a suggestion replaces. */
  readonly start: number;
  readonly end: number;
  readonly suggestions: readonly Suggestion[];
  /** Text field whose value is being typed, and its beginning: only the service knows the values. */
  readonly values?: { readonly field: string; readonly begun: string };
}

const MOST = 8;
const NONE: readonly Suggestion[] = [];
/** Fields that an empty query is offered. */
const FIRST = ['status', 'title', 'tool', 'agent', 'model', 'errors', 'duration', 'started'];

/** Suggest completions of the word that ends at `caret`; none inside quotes. */
export function complete(query: string, caret: number): Completion {
  const before = query.slice(0, caret);
  const end = caret;
  if (query === '') {
    const first = FIRST.flatMap((name) => fields(name).filter(({ text }) => nameIn(text) === name));
    return { start: 0, end: 0, suggestions: first };
  }
  if (isInQuotes(before)) return { start: end, end, suggestions: NONE };
  const word = /[^\s()]*$/.exec(before)?.[0].replace(/^-/, '') ?? '';
  const value = /^([\w.]+)(?::|!=|=)([^,]*,)*([^,]*)$/.exec(word);
  if (value !== null) {
    const begun = value[3] ?? '';
    const name = value[1] ?? '';
    const suggestions = choices(name).filter((one) => begins(one.text, begun));
    const at = { start: end - begun.length, end, suggestions };
    return isText(name) ? { ...at, values: { field: name, begun } } : at;
  }
  const start = end - word.length;
  if (word === '' || !/^[\w.]+$/.test(word)) return { start, end, suggestions: NONE };
  return { start, end, suggestions: fields(word).slice(0, MOST) };
}

/** Whether the word at `caret` may become the name of a field: it is not yet what is looked for. */
export function beginsField(query: string, caret: number): boolean {
  const { start, end, suggestions } = complete(query, caret);
  const word = query.slice(start, end);
  return word !== '' && suggestions.some(({ text }) => begins(nameIn(text), word, true));
}

/** Name of the field that a suggestion begins with; empty for a value. */
function nameIn(text: string): string {
  return /^([\w.]+)[:>]$/.exec(text)?.[1] ?? '';
}

/** A value as written in a query: quoted where it would otherwise be split or read as a pattern. */
export function valueText(value: string): string {
  return /^[^\s()"*,\\]+$/.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** The query with a suggestion accepted, and the new position of the caret. */
export function accept(query: string, at: Completion, suggestion: Suggestion): [string, number] {
  const caret = at.start + suggestion.text.length;
  return [query.slice(0, at.start) + suggestion.text + query.slice(at.end), caret];
}

function isInQuotes(before: string): boolean {
  return (before.replaceAll(/\\./g, '').split('"').length - 1) % 2 === 1;
}

function fields(word: string): Suggestion[] {
  const [scope, rest] = /^(session|span)\.(.*)$/i.exec(word)?.slice(1) ?? [undefined, word];
  const seen = new Set<string>();
  return QUERY_FIELDS.flatMap((field) => {
    if (scope !== undefined && field.scope !== scope.toLowerCase()) return [];
    if (!begins(field.name, rest ?? '', true) || seen.has(field.name)) return [];
    seen.add(field.name);
    const prefix = scope === undefined ? '' : `${scope.toLowerCase()}.`;
    return [{ text: `${prefix}${field.name}${sign(field)}`, detail: field.description }];
  });
}

function sign(field: QueryField): string {
  return ['text', 'choice', 'yes or no', 'time'].includes(field.type) ? ':' : '>';
}

/** Whether the field has free text for values, other than ids. */
function isText(name: string): boolean {
  const plain = name.toLowerCase().replace(/^(session|span)\./, '');
  return !['id', 'trace'].includes(plain) && named(name)[0]?.type === 'text';
}

/** The fields with this name, those of sessions first. */
function named(name: string): readonly QueryField[] {
  const [scope, plain] = /^(session|span)\.(.*)$/i.exec(name)?.slice(1) ?? [undefined, name];
  return QUERY_FIELDS.filter(
    (field) =>
      field.name === plain?.toLowerCase() &&
      (scope === undefined || field.scope === scope.toLowerCase()),
  );
}

/** The values of the fields with this name, those of sessions first. */
function choices(name: string): Suggestion[] {
  const found = named(name);
  const texts = new Map<string, string>();
  for (const field of found) {
    const values = field.type === 'yes or no' ? ['yes', 'no'] : field.choices;
    for (const value of values)
      if (!texts.has(value)) texts.set(value, SUGGESTION_TEXT.ofA(field.scope));
  }
  return [...texts].map(([text, detail]) => ({ text, detail }));
}

function begins(text: string, start: string, orIs = false): boolean {
  const isWhole = text.length === start.length;
  return text.toLowerCase().startsWith(start.toLowerCase()) && (orIs || !isWhole);
}
