/** Options from arguments, the environment or defaults. */

import { warn } from './log.js';

const CAPTURES = ['full', 'redacted', 'off'] as const;
const SWITCH: Readonly<Record<string, boolean>> = {
  1: true,
  true: true,
  on: true,
  0: false,
  false: false,
  off: false,
};

/**
 * Capture of prompts, arguments and results: everything, everything but secrets, or nothing.
 */
export type Capture = (typeof CAPTURES)[number];

/**
 * Return the capture mode: the argument, else `INSPECTOR_CAPTURE_CONTENT`, else
 * `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT`, else `redacted`.
 *
 * An invalid variable is only logged: an agent's environment must not stop it.
 *
 * @throws RangeError The argument is not a mode.
 */
export function readCapture(capture: string | undefined): Capture {
  if (capture !== undefined) {
    const found = CAPTURES.find((one) => one === capture);
    if (found === undefined) throw new RangeError(`capture must be one of ${CAPTURES.join(', ')}.`);
    return found;
  }
  const text = environment('INSPECTOR_CAPTURE_CONTENT');
  const fallback = standardCapture();
  if (!text) return fallback;
  const found = CAPTURES.find((one) => one === text);
  if (found === undefined) {
    warn(
      'capture',
      `INSPECTOR_CAPTURE_CONTENT must be one of ${CAPTURES.join(', ')}; using ${fallback}.`,
    );
  }
  return found ?? fallback;
}

/** Return whether this process is one session: the argument, else `INSPECTOR_SESSION`. */
export function isSessionOfProcess(mode: string | undefined): boolean {
  const found = mode ?? environment('INSPECTOR_SESSION');
  if (found && !['per-process', 'per-trace'].includes(found)) {
    warn('session', `INSPECTOR_SESSION must be per-process or per-trace; using per-trace.`);
  }
  return found === 'per-process';
}

/** Return whether a switch of the environment is on; other values are logged and ignored. */
export function isOn(variable: string, otherwise: boolean): boolean {
  const text = environment(variable);
  if (!text) return otherwise;
  const found = SWITCH[text];
  if (found === undefined) {
    const names = Object.keys(SWITCH).join(', ');
    warn(variable, `${variable} must be one of ${names}; using ${otherwise ? 'on' : 'off'}.`);
  }
  return found ?? otherwise;
}

function standardCapture(): Capture {
  const text = environment('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT');
  return text === 'no_content' || text === 'false' ? 'off' : 'redacted';
}

function environment(variable: string): string {
  return process.env[variable]?.trim().toLowerCase() ?? '';
}
