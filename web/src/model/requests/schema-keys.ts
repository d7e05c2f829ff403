/** Keys that a JSON Schema names for a place in a value, to complete what is typed. */

export interface SchemaKey {
  readonly key: string;
  /** Its type in a word or two; empty: not known. */
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
}

type Schema = Readonly<Record<string, unknown>>;

/** Limits: a schema is another's, and may refer to itself. */
const MAX_SCHEMAS = 200;
const MAX_KEYS = 200;
const MAX_DESCRIPTION = 300;

/** Path of members by their keys, and of items of lists as null. */
export type SchemaPath = readonly (string | null)[];

export function keysAt(schema: unknown, path: SchemaPath): readonly SchemaKey[] {
  const root = asSchema(schema);
  if (root === undefined) return [];
  let here = expanded(root, [root]);
  for (const step of path) {
    const inside = here.flatMap((one) => {
      if (step === null) return [one['items'], ...asList(one['prefixItems'])];
      const members = asSchema(one['properties']);
      return members !== undefined && Object.hasOwn(members, step)
        ? [members[step]]
        : [one['additionalProperties']];
    });
    here = expanded(
      root,
      inside.map(asSchema).filter((one) => one !== undefined),
    );
  }
  const keys = new Map<string, SchemaKey>();
  const required = new Set(here.flatMap((one) => asList(one['required'])));
  for (const one of here) {
    for (const [key, member] of Object.entries(asSchema(one['properties']) ?? {})) {
      if (keys.has(key) || keys.size === MAX_KEYS) continue;
      const [described = {}] = expanded(root, [asSchema(member) ?? {}]);
      keys.set(key, {
        key,
        type: typeOf(described),
        description: textOf(asSchema(member)?.['description'] ?? described['description']),
        isRequired: required.has(key),
      });
    }
  }
  return [...keys.values()];
}

/** Schemas with all that they refer to and are combined of. */
function expanded(root: Schema, schemas: readonly Schema[]): readonly Schema[] {
  const found = new Set(schemas);
  for (const one of found) {
    if (found.size >= MAX_SCHEMAS) break;
    const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((name) => asList(one[name]));
    for (const part of [resolved(root, one['$ref']), ...parts]) {
      const schema = asSchema(part);
      if (schema !== undefined) found.add(schema);
    }
  }
  // A reference says nothing of its own.
  return [...found].filter((one) => one['$ref'] === undefined || one['properties'] !== undefined);
}

/** What a reference within the schema leads to: `#/$defs/Item`. */
function resolved(root: Schema, reference: unknown): unknown {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
  let at: unknown = root;
  for (const part of reference.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const members = asSchema(at);
    if (members === undefined || !Object.hasOwn(members, name)) return undefined;
    at = members[name];
  }
  return at;
}

function typeOf(schema: Schema): string {
  const { type } = schema;
  const choices = asList(schema['enum']).slice(0, 4);
  if (choices.length > 0) return choices.map((one) => JSON.stringify(one)).join(' | ');
  return [type]
    .flat()
    .filter((one) => typeof one === 'string')
    .join(' | ');
}

function textOf(text: unknown): string {
  return typeof text === 'string' ? text.slice(0, MAX_DESCRIPTION) : '';
}

function asSchema(value: unknown): Schema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Schema)
    : undefined;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
