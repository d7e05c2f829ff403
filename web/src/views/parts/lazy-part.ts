/**
 * Parts of the page whose code is loaded when they are first shown, or earlier while the page is idle.
 *
 * `React.lazy` keeps a failure for ever; a part can be loaded again after `forgetMissing`.
 */
import { type ComponentType, createElement, use } from 'react';

/** The code of a part could not be loaded: the service is stopped, or has another build. */
export class MissingPartError extends Error {
  override readonly name = 'MissingPartError';
}

interface Part {
  readonly load: () => Promise<unknown>;
  readonly forgetMissing: () => void;
}

/** All parts that are known; a part that is loaded may add others. */
const PARTS = new Set<Part>();

/** A component that is loaded with its first use. Show it below a `Guarded`. */
export function lazyPart<P extends object>(
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  let loading: Promise<ComponentType<P>> | undefined;
  let isMissing = false;
  const part = {
    load: () => {
      loading ??= loadFailedStyles()
        .then(load)
        .then(
          (component) => {
            loaded = component;
            return component;
          },
          (error: unknown) => {
            isMissing = true;
            throw new MissingPartError(error instanceof Error ? error.message : String(error));
          },
        );
      return loading;
    },
    forgetMissing: () => {
      if (isMissing) loading = undefined;
      isMissing = false;
    },
  };
  PARTS.add(part);
  // Without `use` once it is loaded: that would show the fallback for a moment.
  return (props) => createElement(loaded ?? use(part.load()), props);
}

/** Let every part that could not be loaded be loaded again, with its next use. */
export function forgetMissing(): void {
  for (const part of PARTS) part.forgetMissing();
}

/** Load all parts, one at a time while the page is idle; stop at the first that is missing. */
export async function loadAllParts(signal: AbortSignal): Promise<void> {
  for (const part of PARTS) {
    await idle();
    if (signal.aborted) return;
    try {
      await part.load();
    } catch {
      part.forgetMissing();
      return;
    }
  }
}

function idle(): Promise<unknown> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback === 'function') requestIdleCallback(resolve);
    else setTimeout(resolve, IDLE_MS);
  });
}

/** Pause between two parts in a browser that does not say when it is idle. */
const IDLE_MS = 500;

/** Addresses of style sheets that failed: the bundler loads each only once. */
const FAILED_STYLES = new Set<string>();

/** Note the style sheets that fail from now on, so that they are loaded again with the next part. */
export function noteFailedStyles(page: Document): void {
  const note = ({ target }: Event) => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') {
      FAILED_STYLES.add(target.href);
      target.remove();
    }
  };
  page.addEventListener('error', note, { capture: true });
}

async function loadFailedStyles(): Promise<void> {
  const loads = [...FAILED_STYLES].map(
    (href) =>
      new Promise<void>((resolve, reject) => {
        const link = document.createElement('link');
        link.rel = 'stylesheet';
        link.href = href;
        link.onload = () => resolve();
        link.onerror = () => reject(new Error(`Unable to load ${href}`));
        FAILED_STYLES.delete(href);
        document.head.append(link);
      }),
  );
  await Promise.all(loads);
}
