/** Content of our own spans: any value as bounded, valid, redacted JSON. */

import type { Capture } from '../options.js';
import type { Redactor } from '../redaction/redactor.js';
import { REDACTED } from '../redaction/rules.gen.js';

const MAX_BYTES = 30_720;
const MAX_DEPTH = 64;
const MAX_NODES = 1_500;
const ELLIPSIS = '…';

/** JSON text within the limit. */
export interface Content {
  readonly text: string;
  readonly isTruncated: boolean;
}

/** What may be set of a value, by the capture mode. */
export class ContentWriter {
  constructor(
    readonly capture: Capture,
    readonly redactor: Redactor,
  ) {}

  /** Return a value as JSON; undefined: nothing of it may be told. Never throws. */
  json(value: unknown): Content | undefined {
    if (this.capture === 'off' || value === undefined) return undefined;
    try {
      const plain = new Plain().of(value, 0);
      const clean = this.capture === 'redacted' ? this.redactor.value('', plain) : plain;
      return fitted(clean);
    } catch {
      return { text: JSON.stringify(REDACTED), isTruncated: true };
    }
  }

  /** Return a text that is always told, but without secrets. */
  label(text: string, maxChars = 1_024): string {
    const clean = this.capture === 'full' ? text : this.redactor.text(text);
    return clean.length > maxChars ? clean.slice(0, maxChars - 1) + ELLIPSIS : clean;
  }

  /** Return a text that is content; undefined: it may not be told. */
  text(text: string): string | undefined {
    return this.capture === 'off' ? undefined : this.label(text);
  }
}

/** A reader of any value as plain data, with a budget. What is no data becomes its type's name. */
class Plain {
  #left = MAX_NODES;

  of(value: unknown, depth: number): unknown {
    switch (typeof value) {
      case 'string':
        return value.length > MAX_BYTES ? value.slice(0, MAX_BYTES) + ELLIPSIS : value;
      case 'boolean':
        return value;
      case 'number':
        return Number.isFinite(value) ? value : String(value);
      case 'bigint':
        return String(value);
      case 'object':
        return value === null ? null : this.#object(value, depth);
      default:
        return `<${typeof value}>`;
    }
  }

  #object(value: object, depth: number): unknown {
    if (--this.#left < 0 || depth >= MAX_DEPTH) return ELLIPSIS;
    if (Array.isArray(value)) {
      return value.slice(0, MAX_NODES).map((item) => this.of(item, depth + 1));
    }
    if (value instanceof Date || value instanceof URL)
      return String(JSON.parse(JSON.stringify(value)));
    if (value instanceof Error) return { name: value.name, message: value.message };
    if (ArrayBuffer.isView(value)) return `<${value.byteLength} bytes>`;
    if (value instanceof Map || value instanceof Set) return this.of([...value], depth + 1);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== null && prototype !== Object.prototype && Object.keys(value).length === 0) {
      return `<${value.constructor.name}>`;
    }
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, item]) => item !== undefined && typeof item !== 'function')
        .slice(0, MAX_NODES)
        .map(([key, item]) => [key, this.of(item, depth + 1)]),
    );
  }
}

/** Return JSON of at most `MAX_BYTES`: the longest texts are cut first, then what comes last. */
function fitted(value: unknown): Content {
  let text = JSON.stringify(value);
  if (bytes(text) <= MAX_BYTES) return { text, isTruncated: false };
  for (let longest = MAX_BYTES / 2; longest >= 64; longest /= 2) {
    text = JSON.stringify(value, (_, item) =>
      typeof item === 'string' && item.length > longest ? item.slice(0, longest) + ELLIPSIS : item,
    );
    if (bytes(text) <= MAX_BYTES) return { text, isTruncated: true };
  }
  for (let most = 512; most >= 1; most = Math.floor(most / 2)) {
    const shorter = JSON.stringify(value, (_, item) => {
      if (typeof item === 'string') return item.length > 64 ? item.slice(0, 64) + ELLIPSIS : item;
      if (Array.isArray(item)) return item.slice(0, most);
      if (typeof item !== 'object' || item === null) return item;
      return Object.fromEntries(Object.entries(item).slice(0, most));
    });
    if (bytes(shorter) <= MAX_BYTES) return { text: shorter, isTruncated: true };
  }
  return { text: JSON.stringify(ELLIPSIS), isTruncated: true };
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}
