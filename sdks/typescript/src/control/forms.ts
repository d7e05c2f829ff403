/**
 * Validation of answers to forms by the basic rules of JSON Schema. Pure.
 *
 * The schemas of MCP elicitation are checked in full but for patterns and formats; other keywords
 * are left to the code that asks.
 */

import { isSame } from './exact-json.js';

const MAX_DEPTH = 20;

type Fields = Readonly<Record<string, unknown>>;

/** Return what is wrong with `payload`, as a sentence without a full stop; undefined: nothing. */
export function problemOf(
  form: unknown,
  payload: unknown,
  where = 'the answer',
  depth = 0,
): string | undefined {
  if (!isFields(form) || depth > MAX_DEPTH) return undefined;
  const problem = wrongType(form, payload, where) ?? wrongChoice(form, payload, where);
  if (problem !== undefined) return problem;
  if (Array.isArray(payload)) {
    return (
      outOfRange(form, payload.length, where, 'Items', ' items long') ??
      first(payload, (item, at) => problemOf(form['items'], item, `item ${at + 1}`, depth + 1))
    );
  }
  if (isFields(payload)) return wrongObject(form, payload, where, depth);
  if (typeof payload === 'string') {
    return outOfRange(form, [...payload].length, where, 'Length', ' characters long');
  }
  if (typeof payload === 'number') return outOfRange(form, payload, where, 'imum', '');
  return undefined;
}

function wrongType(form: Fields, payload: unknown, where: string): string | undefined {
  const wanted = form['type'];
  const names: unknown[] = Array.isArray(wanted) ? wanted : [wanted];
  if (wanted === undefined || names.length === 0) return undefined;
  if (names.some((name) => isOf(name, payload))) return undefined;
  return `${where} must be of type ${names.join(' or ')}`;
}

function isOf(name: unknown, payload: unknown): boolean {
  switch (name) {
    case 'object':
      return isFields(payload);
    case 'array':
      return Array.isArray(payload);
    case 'integer':
      return Number.isInteger(payload);
    case 'null':
      return payload === null;
    case 'string':
    case 'number':
    case 'boolean':
      return typeof payload === name;
    default:
      return true;
  }
}

function wrongChoice(form: Fields, payload: unknown, where: string): string | undefined {
  let choices = form['enum'];
  if (!Array.isArray(choices)) {
    // Choices with titles: `oneOf: [{"const": …, "title": …}]`
    const titled = form['oneOf'] ?? form['anyOf'];
    const parts: unknown[] = Array.isArray(titled) ? titled : [form];
    if (!parts.every((part) => isFields(part) && 'const' in part)) return undefined;
    choices = parts.map((part) => (part as Fields)['const']);
  }
  const listed = choices as unknown[];
  if (listed.some((choice) => isSame(payload, choice))) return undefined;
  const names = listed.map((choice) => JSON.stringify(choice)).join(', ');
  return `${where} must be one of ${names.slice(0, 500)}`;
}

function wrongObject(
  form: Fields,
  payload: Fields,
  where: string,
  depth: number,
): string | undefined {
  const fields = isFields(form['properties']) ? form['properties'] : {};
  const required: unknown[] = Array.isArray(form['required']) ? form['required'] : [];
  const missing = required.find(
    (name) => typeof name === 'string' && !Object.hasOwn(payload, name),
  );
  if (missing !== undefined) return `${where} is missing '${missing}'`;
  return first(Object.entries(payload), ([name, value]) => {
    if (Object.hasOwn(fields, name)) return problemOf(fields[name], value, `'${name}'`, depth + 1);
    if (form['additionalProperties'] !== false) return undefined;
    return `${where} has an unknown field '${name.slice(0, 80)}'`;
  });
}

function outOfRange(
  form: Fields,
  size: number,
  where: string,
  what: string,
  unit: string,
): string | undefined {
  const [least, most] = [form[`min${what}`], form[`max${what}`]];
  if (typeof least === 'number' && size < least) return `${where} must be at least ${least}${unit}`;
  if (typeof most === 'number' && size > most) return `${where} must be at most ${most}${unit}`;
  return undefined;
}

function first<T>(
  members: readonly T[],
  problem: (member: T, at: number) => string | undefined,
): string | undefined {
  for (const [at, member] of members.entries()) {
    const found = problem(member, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
