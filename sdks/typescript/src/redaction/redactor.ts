/** Removal of secrets from texts, values and attributes, before anything is truncated or sent. */

import type { Attributes } from '@opentelemetry/api';

import { REDACTED } from './rules.gen.js';
import { isSecretAttribute, isSecretFlag, scrubbed } from './secrets.js';

const MAX_DEPTH = 64;

/**
 * Removes secrets from strings; `patterns` and `callback` add your own rules, which run last.
 *
 * If the callback throws, the whole string is replaced.
 */
export class Redactor {
  readonly #patterns: readonly RegExp[];
  readonly #callback: ((text: string) => string) | undefined;

  constructor(patterns: readonly RegExp[] = [], callback?: (text: string) => string) {
    this.#patterns = patterns.map(({ source, flags }) =>
      flags.includes('g') ? new RegExp(source, flags) : new RegExp(source, `${flags}g`),
    );
    this.#callback = callback;
  }

  /** Whether it has rules of the user, of which nothing is known. */
  get hasOwnRules(): boolean {
    return this.#patterns.length > 0 || this.#callback !== undefined;
  }

  /** Return `text` with every secret replaced by `[redacted]`; idempotent. */
  text(text: string): string {
    let clean = scrubbed(text);
    for (const pattern of this.#patterns) clean = clean.replace(pattern, REDACTED);
    if (this.#callback === undefined) return clean;
    try {
      return String(this.#callback(clean));
    } catch {
      return REDACTED;
    }
  }

  /** Return a plain value (strings, objects, arrays) found under `key`, without secrets. */
  value(key: string, value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return isSecretAttribute(key) ? REDACTED : this.text(value);
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
    if (depth >= MAX_DEPTH) return REDACTED;
    if (Array.isArray(value)) {
      return value.map((item, index) =>
        index > 0 && isSecretFlag(value[index - 1]) ? REDACTED : this.value(key, item, depth + 1),
      );
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        this.text(name),
        this.value(name, item, depth + 1),
      ]),
    );
  }

  /** Return attributes without secrets. */
  attributes(attributes: Attributes): Attributes {
    return Object.fromEntries(
      Object.entries(attributes).map(([key, value]) => [this.text(key), this.value(key, value)]),
    ) as Attributes;
  }
}
