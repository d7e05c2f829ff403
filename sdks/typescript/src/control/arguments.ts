/** Arguments as shown to a person, and what an edit makes of them. Pure. */

import { createHash } from 'node:crypto';
import { inspect } from 'node:util';

import { BadJsonError, canonical, isSame, NotExactError, parsed } from './exact-json.js';

const MAX_ARGS_BYTES = 2 ** 20;
const MAX_EDIT_BYTES = 4 * 2 ** 20;
const MAX_SHOWN_CHARS = 128 * 1024;
const MAX_DRAWN_ITEMS = 100_000;
const MAX_DRAWN_DEPTH = 100;

/** The edited text is not valid as arguments; the message has the reason. */
export class EditError extends Error {}

/** Arguments as a person sees them. */
export interface ArgumentsView {
  /** The complete arguments as exact JSON text; null: see `fault`. */
  readonly json: string | null;
  /** A rendering for people, only where there is no `json`. */
  readonly text: string | null;
  /** SHA-256 (hex) of the one, else of a rendering of the whole value. */
  readonly hash: string | null;
  /** Why they cannot be edited. */
  readonly fault?: string;
}

/** The view of something that has no arguments. */
export const NO_ARGUMENTS: ArgumentsView = { json: null, text: null, hash: null };

/** Return how arguments are shown. Never throws. */
export function show(args: unknown): ArgumentsView {
  try {
    const json = canonical(args, MAX_ARGS_BYTES);
    return { json, text: null, hash: sha256(json) };
  } catch (error) {
    const fault = error instanceof NotExactError ? error.message : 'it cannot be traversed';
    const drawing = drawn(args);
    const isWhole = drawing.length <= MAX_SHOWN_CHARS;
    const text = isWhole ? drawing : `${drawing.slice(0, MAX_SHOWN_CHARS)}… (cut)`;
    return { json: null, text, hash: sha256(drawing), fault };
  }
}

/** Return whether arguments are still those that were shown. */
export function isStill(view: ArgumentsView, args: unknown): boolean {
  return show(args).hash === view.hash;
}

/**
 * Return the arguments that an edit makes; the same object if it changes nothing.
 *
 * @throws EditError There is nothing to edit, the text is no acceptable JSON, or of another kind.
 */
export function edited(view: ArgumentsView, args: unknown, text: string): unknown {
  if (view.json === null) {
    throw new EditError(`these arguments cannot be edited: ${view.fault ?? 'there are none'}`);
  }
  let value: unknown;
  try {
    value = parsed(text, MAX_EDIT_BYTES);
  } catch (error) {
    if (!(error instanceof BadJsonError)) throw error;
    throw new EditError(`the edited arguments are invalid: ${error.message}`);
  }
  const kind = kindOf(args);
  if (['object', 'array'].includes(kind) && kindOf(value) !== kind) {
    throw new EditError(`the edited arguments must be a JSON ${kind}, like the original`);
  }
  return isSame(value, JSON.parse(view.json)) ? args : value;
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
}

function drawn(value: unknown): string {
  try {
    return inspect(value, {
      depth: MAX_DRAWN_DEPTH,
      maxArrayLength: MAX_DRAWN_ITEMS,
      maxStringLength: null,
      sorted: true,
      getters: false,
    });
  } catch (error) {
    return `<cannot be shown: ${error instanceof Error ? error.name : typeof error}>`;
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
