/** Session of operations and spans. */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes } from '@opentelemetry/api';

import { runtime } from '../runtime.js';

const MAX_ID_CHARS = 256;
const MAX_TITLE_CHARS = 256;
const MAX_TAGS = 50;

/** A session. */
export interface SessionOptions {
  /** Using the same id again continues the session. */
  readonly id: string;
  readonly title?: string | undefined;
  /** User of the session. */
  readonly user?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

interface Current {
  readonly id: string;
  readonly user: string | undefined;
  /** Title and tags, sent once, with the first span. */
  once: Attributes;
}

const store = new AsyncLocalStorage<Current>();

/** Return the id of the current session. */
export function sessionId(): string | undefined {
  return store.getStore()?.id;
}

/** Return the attributes of the current session for a span that starts. */
export function sessionAttributes(): Attributes {
  const session = store.getStore();
  if (session === undefined) return {};
  const { id, user, once } = session;
  session.once = {};
  return { 'session.id': id, ...(user === undefined ? {} : { 'user.id': user }), ...once };
}

/**
 * Run `body` in a session: all of its spans, from any instrumentation, belong to it.
 *
 * Cancelling the session lasts until `body` ends.
 *
 * @throws TypeError The session has no id.
 */
export function session<T>(which: string | SessionOptions, body: () => T): T {
  const { id, user, title, tags }: SessionOptions =
    typeof which === 'string' ? { id: which } : which;
  if (typeof id !== 'string' || id === '') throw new TypeError('session() needs an id.');
  const current: Current = {
    id: id.slice(0, MAX_ID_CHARS),
    user: user?.slice(0, MAX_ID_CHARS),
    once: {
      ...(title === undefined
        ? {}
        : { 'inspector.session.title': title.slice(0, MAX_TITLE_CHARS) }),
      ...(tags === undefined ? {} : { 'inspector.tags': tags.slice(0, MAX_TAGS).map(String) }),
    },
  };
  const leave = runtime()?.control?.gate.enter({
    sessionId: current.id,
    traceId: undefined,
    isScope: true,
    cancel: () => {},
    held: () => () => {},
  });
  return store.run(current, () => ending(body, leave ?? (() => {})));
}

/** Run `body`, and call `onEnd` when it, or the promise that it returns, has ended. */
function ending<T>(body: () => T, onEnd: () => void): T {
  let result: T;
  try {
    result = body();
  } catch (error) {
    onEnd();
    throw error;
  }
  if (result instanceof Promise) result.then(onEnd, onEnd);
  else onEnd();
  return result;
}
