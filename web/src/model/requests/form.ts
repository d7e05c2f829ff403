/**
 * Form fields of a JSON Schema, and the JSON text of the typed values.
 *
 * The schema is read as text (`json-text.ts`), and a number is sent as it was typed: no value
 * passes through a JavaScript number, so integers beyond 2^53 survive in defaults, in choices and
 * in answers. The fields of an object in the object stand among the others, and name it. What the
 * form cannot draw, such as an object in that, is a field for JSON.
 */
import { MISTAKE_TEXT } from '../../texts.ts';
import { formatJson } from '../json/json-format.ts';
import { indexJson, type JsonIndex, JsonKind } from '../json/json-text.ts';

interface Choice {
  /** The value as JSON text. */
  readonly json: string;
  readonly label: string;
}

/** A keyword of the schema, with its value as JSON text. */
export interface Rule {
  readonly keyword: string;
  readonly json: string;
}

type FieldKind = 'string' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices' | 'json';

/** An object in the answer, whose fields are drawn. */
export interface Group {
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly unchecked: readonly Rule[];
}

export interface Field {
  /** The object that it is in; undefined: the answer itself. The fields of one follow each other. */
  readonly group: Group | undefined;
  /** Name of the property; undefined if the answer is this single value and not an object. */
  readonly key: string | undefined;
  readonly kind: FieldKind;
  readonly title: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly format: string | undefined;
  readonly choices: readonly Choice[];
  /** Bounds as written in the schema: of a number, of a length, or of the number of choices. */
  readonly least: string | undefined;
  readonly most: string | undefined;
  /** Further keywords of the schema: shown, not checked here. */
  readonly unchecked: readonly Rule[];
  /** Texts of the default: as typed; for choices, the JSON of each. */
  readonly initial: readonly string[];
}

/** Typed or chosen values by position of the field; one text, or one for each choice. */
export type FormValues = readonly (readonly string[])[];

const MAX_FIELDS = 200;
const MAX_CHOICES = 1000;

/** The fields of a form; undefined when the schema cannot be read. */
export function readForm(schema: string): Field[] | undefined {
  const index = indexJson(schema);
  if (index === undefined || index.kind[0] !== JsonKind.Object) return undefined;
  const properties = index.member(0, 'properties');
  if (textOf(index, 0, 'type') !== 'object' && properties === undefined) {
    return [readField(index, 0, undefined, true, undefined)];
  }
  return fieldsIn(index, 0, undefined).slice(0, MAX_FIELDS);
}

/** The fields of the object's properties; `group` is what the object is in the answer. */
function fieldsIn(index: JsonIndex, object: number, group: Group | undefined): Field[] {
  const required = new Set(stringsOf(index, index.member(object, 'required')));
  const properties = index.member(object, 'properties');
  const fields: Field[] = [];
  for (const node of properties === undefined ? [] : index.children(properties)) {
    const key = index.key(node) ?? '';
    const inner = group === undefined ? innerFields(index, node, key, required.has(key)) : [];
    if (inner.length > 0) fields.push(...inner);
    else fields.push(readField(index, node, key, required.has(key), group));
    if (fields.length >= MAX_FIELDS) break;
  }
  return fields;
}

/** The fields of an object in the answer; none if it has none, or is not drawn as an object. */
function innerFields(index: JsonIndex, node: number, key: string, isRequired: boolean): Field[] {
  const hasDefault = index.member(node, 'default') !== undefined;
  if (textOf(index, node, 'type') !== 'object' || hasDefault) return [];
  if (choicesOf(index, node).length > 0) return [];
  return fieldsIn(index, node, {
    key,
    title: textOf(index, node, 'title') ?? key,
    description: textOf(index, node, 'description') ?? '',
    isRequired,
    unchecked: uncheckedOf(index, node, 'json').filter(({ keyword }) => keyword !== 'properties'),
  });
}

export function initialValues(fields: readonly Field[]): FormValues {
  return fields.map((field) => field.initial);
}

function readField(
  index: JsonIndex,
  node: number,
  key: string | undefined,
  isRequired: boolean,
  group: Group | undefined,
): Field {
  const type = textOf(index, node, 'type');
  const items = index.member(node, 'items');
  const own = choicesOf(index, node);
  const ofItems = items === undefined ? [] : choicesOf(index, items);
  const kind = kindOf(type, own, ofItems);
  const [least, most] = (BOUNDS[kind] ?? []).map((name) => sourceOf(index, node, name));
  return {
    group,
    key,
    kind,
    title: textOf(index, node, 'title') ?? key ?? 'Answer',
    description: textOf(index, node, 'description') ?? '',
    isRequired,
    format: textOf(index, node, 'format'),
    choices: kind === 'choices' ? ofItems : own,
    least,
    most,
    unchecked: uncheckedOf(index, node, kind),
    initial: initialOf(index, node, kind),
  };
}

const BOUNDS: Readonly<Partial<Record<FieldKind, readonly [string, string]>>> = {
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  choices: ['minItems', 'maxItems'],
  string: ['minLength', 'maxLength'],
};
/** Keywords that the form shows or checks, or that no answer can violate. */
const KNOWN: ReadonlySet<string> = new Set(
  `type title description default examples deprecated readOnly writeOnly required
  $schema $id $comment $anchor`.split(/\s+/),
);
const DRAWN: readonly FieldKind[] = ['choice', 'choices'];
const CHOICES: ReadonlySet<string> = new Set('enum enumNames oneOf anyOf const items'.split(' '));
const MAX_RULES = 20;

/**
 * Keywords that an answer may violate without an error in the form. `pattern` is among them: it
 * comes from others, and a malicious one keeps a browser busy for hours.
 */
function uncheckedOf(index: JsonIndex, node: number, kind: FieldKind): Rule[] {
  const rules: Rule[] = [];
  for (const member of index.children(node)) {
    const keyword = index.key(member) ?? '';
    if (KNOWN.has(keyword) || BOUNDS[kind]?.includes(keyword)) continue;
    if (DRAWN.includes(kind) && CHOICES.has(keyword)) continue;
    if (keyword === 'format' && (kind !== 'string' || isKnownFormat(index.string(member))))
      continue;
    rules.push({ keyword, json: index.source(member) });
    if (rules.length >= MAX_RULES) break;
  }
  return rules;
}

function kindOf(
  type: string | undefined,
  own: readonly Choice[],
  ofItems: readonly Choice[],
): FieldKind {
  if (own.length > 0) return 'choice';
  if (type === 'array') return ofItems.length > 0 ? 'choices' : 'json';
  if (type === 'string' || type === 'number' || type === 'integer' || type === 'boolean') {
    return type;
  }
  return 'json';
}

/** `enum` (with `enumNames`), `const`, or `oneOf` / `anyOf` of constants with titles. */
function choicesOf(index: JsonIndex, node: number): Choice[] {
  const only = index.member(node, 'const');
  if (only !== undefined) return [{ json: index.source(only), label: labelOf(index, only) }];
  const values = index.member(node, 'enum');
  if (values !== undefined) {
    const names = stringsOf(index, index.member(node, 'enumNames'));
    return [...take(index.children(values))].map((value, at) => ({
      json: index.source(value),
      label: names[at] ?? labelOf(index, value),
    }));
  }
  const variants = index.member(node, 'oneOf') ?? index.member(node, 'anyOf');
  if (variants === undefined) return [];
  const choices: Choice[] = [];
  for (const variant of take(index.children(variants))) {
    const value = index.member(variant, 'const');
    if (value === undefined) return [];
    const label = textOf(index, variant, 'title') ?? labelOf(index, value);
    choices.push({ json: index.source(value), label });
  }
  return choices;
}

function* take(nodes: Iterable<number>): Generator<number> {
  let left = MAX_CHOICES;
  for (const node of nodes) {
    if (left === 0) return;
    left -= 1;
    yield node;
  }
}

function labelOf(index: JsonIndex, node: number): string {
  return index.kind[node] === JsonKind.String ? index.string(node) : index.source(node);
}

function initialOf(index: JsonIndex, node: number, kind: FieldKind): string[] {
  const value = index.member(node, 'default');
  if (value === undefined) return kind === 'choices' ? [] : [''];
  if (kind === 'choices') return [...index.children(value)].map((item) => index.source(item));
  if (kind === 'string' && index.kind[value] === JsonKind.String) return [index.string(value)];
  if (kind !== 'json') return [index.source(value)];
  const formatted = formatJson(index.source(value));
  return [formatted.isJson ? formatted.text : ''];
}

function textOf(index: JsonIndex, node: number, name: string): string | undefined {
  const member = index.member(node, name);
  if (member === undefined || index.kind[member] !== JsonKind.String) return undefined;
  return index.string(member);
}

function sourceOf(index: JsonIndex, node: number, name: string): string | undefined {
  const member = index.member(node, name);
  return member !== undefined && index.kind[member] === JsonKind.Number
    ? index.source(member)
    : undefined;
}

function stringsOf(index: JsonIndex, node: number | undefined): string[] {
  if (node === undefined) return [];
  return [...take(index.children(node))].map((item) => index.string(item));
}

// --- from what was typed to JSON text ----------------------------------------------------------

/** Mistake in a field; undefined: none. */
export function mistakeIn(field: Field, typed: readonly string[]): string | undefined {
  if (field.kind === 'choices') return countMistake(field, typed.length);
  const text = typed[0] ?? '';
  if (text === '' && (field.kind !== 'string' || field.isRequired)) {
    const mayBeEmpty = !field.isRequired || (field.kind === 'string' && field.least === '0');
    return mayBeEmpty ? undefined : MISTAKE_TEXT.required;
  }
  if (text === '') return undefined;
  switch (field.kind) {
    case 'integer':
    case 'number':
      return numberMistake(field, text.trim());
    case 'string':
      return stringMistake(field, text);
    case 'json': {
      const checked = formatJson(text);
      return checked.isJson ? undefined : MISTAKE_TEXT.notJson(checked.what);
    }
    default:
      return undefined;
  }
}

function countMistake({ isRequired, least, most }: Field, count: number): string | undefined {
  if (count === 0 && !isRequired) return undefined;
  if (least !== undefined && count < Number(least)) return MISTAKE_TEXT.chooseAtLeast(least);
  if (most !== undefined && count > Number(most)) return MISTAKE_TEXT.chooseAtMost(most);
  return undefined;
}

const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function numberMistake({ kind, least, most }: Field, text: string): string | undefined {
  if (kind === 'integer' && !INTEGER.test(text)) return MISTAKE_TEXT.integer;
  if (!NUMBER.test(text)) return MISTAKE_TEXT.number;
  if (least !== undefined && isLess(text, least)) return MISTAKE_TEXT.atLeast(least);
  if (most !== undefined && isLess(most, text)) return MISTAKE_TEXT.atMost(most);
  return undefined;
}

/** Exact for whole numbers of any size. */
function isLess(a: string, b: string): boolean {
  if (INTEGER.test(a) && INTEGER.test(b)) return BigInt(a) < BigInt(b);
  return Number(a) < Number(b);
}

/** Takes any text: it is drawn on more lines. */
const MULTILINE = 'multiline';

function isKnownFormat(format: string): boolean {
  return format === MULTILINE || Object.hasOwn(FORMATS, format);
}

const FORMATS: Readonly<Record<string, readonly [RegExp, string]>> = {
  email: [/^[^\s@]+@[^\s@]+$/, MISTAKE_TEXT.email],
  uri: [/^[a-zA-Z][a-zA-Z0-9+.-]*:\S*$/, MISTAKE_TEXT.uri],
  date: [/^\d{4}-\d{2}-\d{2}$/, MISTAKE_TEXT.date],
  'date-time': [
    /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/,
    MISTAKE_TEXT.dateTime,
  ],
};

function stringMistake({ format, least, most }: Field, text: string): string | undefined {
  const length = Array.from(text).length;
  if (least !== undefined && length < Number(least)) return MISTAKE_TEXT.longerThan(least);
  if (most !== undefined && length > Number(most)) return MISTAKE_TEXT.shorterThan(most);
  const [pattern, message] =
    (format !== undefined && Object.hasOwn(FORMATS, format) && FORMATS[format]) || [];
  return pattern === undefined || pattern.test(text) ? undefined : message;
}

/** Mistakes by position of the field. An object that may be left out has none while it is empty. */
export function mistakesIn(
  fields: readonly Field[],
  values: FormValues,
): readonly (string | undefined)[] {
  const entered = enteredGroups(fields, values);
  return fields.map((field, at) =>
    isLeftOut(field, entered) ? undefined : mistakeIn(field, values[at] ?? field.initial),
  );
}

/** The objects in which something is typed. */
function enteredGroups(
  fields: readonly Field[],
  values: FormValues,
): ReadonlySet<Group | undefined> {
  const entered = fields.filter((field, at) =>
    (values[at] ?? field.initial).some((text) => text !== ''),
  );
  return new Set(entered.map(({ group }) => group));
}

function isLeftOut({ group }: Field, entered: ReadonlySet<Group | undefined>): boolean {
  return group !== undefined && !group.isRequired && !entered.has(group);
}

/** The answer as JSON text; undefined while a field has a mistake. */
export function payloadOf(fields: readonly Field[], values: FormValues): string | undefined {
  if (mistakesIn(fields, values).some((mistake) => mistake !== undefined)) return undefined;
  const entered = enteredGroups(fields, values);
  const members: string[] = [];
  const inner = new Map<Group, string[]>();
  for (const [at, field] of fields.entries()) {
    if (isLeftOut(field, entered)) continue;
    const { group, key } = field;
    const json = jsonOf(field, values[at] ?? field.initial);
    if (key === undefined) return json;
    const member = json === undefined ? [] : [`${JSON.stringify(key)}:${json}`];
    if (group === undefined) members.push(...member);
    else inner.set(group, [...(inner.get(group) ?? []), ...member]);
  }
  for (const [{ key }, of] of inner) members.push(`${JSON.stringify(key)}:{${of.join(',')}}`);
  return `{${members.join(',')}}`;
}

/** Keyboard of a phone: one of digits has no sign, so it is for numbers that have none. */
export function inputModeOf({ kind, format, least }: Field): InputMode {
  if (kind === 'integer' || kind === 'number') {
    if (least === undefined || Number(least) < 0) return 'text';
    return kind === 'integer' ? 'numeric' : 'decimal';
  }
  return format === 'email' ? 'email' : format === 'uri' ? 'url' : 'text';
}

type InputMode = 'text' | 'numeric' | 'decimal' | 'email' | 'url';

/** Undefined: nothing was typed, and nothing need be. */
function jsonOf({ kind, isRequired }: Field, typed: readonly string[]): string | undefined {
  if (kind === 'choices') {
    return typed.length === 0 && !isRequired ? undefined : `[${typed.join(',')}]`;
  }
  const text = typed[0] ?? '';
  if (text === '' && !(kind === 'string' && isRequired)) return undefined;
  return kind === 'string' ? JSON.stringify(text) : text.trim();
}
