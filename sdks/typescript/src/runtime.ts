/** What `attach()` has set up; one for each thread of a process. */

import type { Tracer } from '@opentelemetry/api';

import type { Control } from './control/control.js';
import type { ContentWriter } from './telemetry/content.js';
import type { LiveSpanProcessor } from './telemetry/live-processor.js';

/** The parts of an attachment that operations need. */
export interface Runtime {
  readonly tracer: () => Tracer;
  readonly processor: LiveSpanProcessor;
  readonly content: ContentWriter;
  /** Undefined: people watch only. */
  readonly control: Control | undefined;
}

let current: Runtime | undefined;

/** Return the current attachment; undefined: nobody watches. */
export function runtime(): Runtime | undefined {
  return current;
}

export function setRuntime(next: Runtime | undefined): void {
  current = next;
}
