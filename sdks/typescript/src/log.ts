/** What a user should know about us, on stderr; never more than one line of a kind in ten minutes. */

import { diag } from '@opentelemetry/api';

const QUIET_MS = 600_000;
const lastSaid = new Map<string, number>();

/** Write a warning, unless one of the same `kind` was written lately. Never throws. */
export function warn(kind: string, text: string): void {
  const now = performance.now();
  if (now - (lastSaid.get(kind) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return;
  lastSaid.set(kind, now);
  try {
    // biome-ignore lint/suspicious/noConsole: it is what a Node program's user reads
    console.warn(`inspector: ${text}`);
  } catch {
    // stderr is closed, or the program has replaced the console
  }
}

/** Pass a line on to OpenTelemetry's diagnostics, which are silent unless the program sets them up. */
export function info(text: string): void {
  diag.info(`inspector: ${text}`);
}
