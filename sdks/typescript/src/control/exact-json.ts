/**
 * JSON text that means exactly one value, and its parser. Pure.
 *
 * A person approves text, and a value runs: neither numbers nor names may change between them.
 */

const MAX_DEPTH = 100;
// After JSON.parse has taken the text: its tokens, without the words.
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[{}[\]:,]/gs;

/** The value has no exact JSON text; the message says why. */
export class NotExactError extends Error {}

/** The text is no acceptable JSON; the message says why. */
export class BadJsonError extends Error {}

/**
 * Return the text that means exactly `value`: keys sorted, no white space.
 *
 * Members that are undefined count as absent, as in all JSON that JavaScript writes.
 *
 * @throws NotExactError There is none, or it has more than `maxBytes` bytes of UTF-8.
 */
export function canonical(value: unknown, maxBytes: number): string {
  const pieces: string[] = [];
  let left = maxBytes;
  const add = (piece: string) => {
    left -= piece.length;
    if (left < 0) throw new NotExactError(`it is longer than ${maxBytes} bytes`);
    pieces.push(piece);
  };
  write(value, 0, add);
  const text = pieces.join('');
  if (Buffer.byteLength(text) > maxBytes) {
    throw new NotExactError(`it is longer than ${maxBytes} bytes`);
  }
  return text;
}

function write(value: unknown, depth: number, add: (piece: string) => void): void {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      add(JSON.stringify(value));
      return;
    case 'number':
      add(numberText(value));
      return;
    case 'object':
      break;
    default:
      throw new NotExactError(`it contains a ${typeof value}, which JSON does not support`);
  }
  if (value === null) add('null');
  else if (depth >= MAX_DEPTH) throw new NotExactError(`it is nested deeper than ${MAX_DEPTH}`);
  else if (Array.isArray(value)) writeArray(value, depth, add);
  else writeObject(value as Record<string, unknown>, depth, add);
}

function writeArray(values: readonly unknown[], depth: number, add: (piece: string) => void): void {
  add('[');
  // An index loop, as others leave out holes.
  for (let index = 0; index < values.length; index++) {
    if (index > 0) add(',');
    write(values[index], depth + 1, add);
  }
  add(']');
}

function writeObject(
  value: Record<string, unknown>,
  depth: number,
  add: (piece: string) => void,
): void {
  if (!isPlain(value)) {
    throw new NotExactError(`it contains a ${typeName(value)}, which JSON does not support`);
  }
  let separator = '{';
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member === undefined) continue;
    add(`${separator}${JSON.stringify(key)}:`);
    separator = ',';
    write(member, depth + 1, add);
  }
  add(separator === '{' ? '{}' : '}');
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Another realm, such as a `vm` context, has an `Object.prototype` of its own.
  const isBare = prototype === null || Object.getPrototypeOf(prototype) === null;
  const hasToJson = typeof (value as { toJSON?: unknown }).toJSON === 'function';
  return isBare && !hasToJson && Object.getOwnPropertySymbols(value).length === 0;
}

function typeName(value: object): string {
  try {
    return value.constructor?.name || 'object';
  } catch {
    return 'object';
  }
}

function numberText(value: number): string {
  if (!Number.isFinite(value))
    throw new NotExactError(`it contains the number ${value}, which JSON does not support`);
  if (Object.is(value, -0)) return '-0';
  const text = String(value);
  if (/^-?\d+$/.test(text) && !Number.isSafeInteger(value)) {
    throw new NotExactError(`it contains ${text}, which JavaScript cannot represent exactly`);
  }
  return text;
}

/**
 * Return the value of a JSON text from outside.
 *
 * @throws BadJsonError It is no JSON, has more than `maxBytes` bytes of UTF-8, is nested deeper than
 *   100, has a name twice in one object, or a number that JavaScript does not hold exactly.
 */
export function parsed(text: string, maxBytes: number): unknown {
  if (Buffer.byteLength(text) > maxBytes) {
    throw new BadJsonError(`it is longer than ${maxBytes} bytes`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new BadJsonError(`it is not JSON: ${(error as Error).message}`);
  }
  checkTokens(text);
  return value;
}

/** Check what `JSON.parse` does not; the text is known to be JSON. */
function checkTokens(text: string): void {
  const open: (Set<string> | undefined)[] = [];
  let isName = false;
  for (const [token] of text.matchAll(TOKEN)) {
    const first = token[0] as string;
    if (first === '{' || first === '[') {
      open.push(first === '{' ? new Set() : undefined);
      if (open.length > MAX_DEPTH) throw new BadJsonError(`it is nested deeper than ${MAX_DEPTH}`);
      isName = first === '{';
    } else if (first === '}' || first === ']') {
      open.pop();
      isName = false;
    } else if (first === ',') {
      isName = open.at(-1) !== undefined;
    } else if (first === ':') {
      isName = false;
    } else if (first !== '"') {
      checkNumber(token);
    } else if (isName) {
      const name = JSON.parse(token) as string;
      const names = open.at(-1);
      if (names?.has(name)) {
        throw new BadJsonError(`the key ${JSON.stringify(name.slice(0, 80))} is duplicated`);
      }
      names?.add(name);
    }
  }
}

function checkNumber(token: string): void {
  const value = Number(token);
  const shown = token.slice(0, 80);
  if (!Number.isFinite(value)) throw new BadJsonError(`the number ${shown} is too large`);
  const isExact = /^-?\d+$/.test(token)
    ? Number.isSafeInteger(value)
    : decimal(token) === decimal(String(value));
  if (!isExact) throw new BadJsonError(`JavaScript cannot represent ${shown} exactly`);
}

/** Return the digits and the exponent of a number: equal for equal decimals. */
function decimal(text: string): string {
  const [, digits = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const all = (digits + fraction).replace(/^0+/, '');
  const significant = all.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${significant}e${Number(exponent) - fraction.length + (all.length - significant.length)}`;
}

/** Return whether two values of JSON are the same. */
export function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return Object.is(one, other);
  }
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(
      (name) =>
        Object.hasOwn(other, name) &&
        isSame((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name]),
    )
  );
}
