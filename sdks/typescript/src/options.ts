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
 * What becomes of prompts, arguments and results: all of it, all but secrets, or nothing.
 */
export type Capture = (typeof CAPTURES)[number];

/**
 * Return the capture mode: the argument, else `INSPECTOR_CAPTURE_CONTENT`, else
 * `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT`, else `redacted`.
 *
 * A bad variable is only said: the environment of an agent must not stop it.
 *
 * @throws RangeError The argument is none of the modes.
 */
export function readCapture(capture: string | undefined): Capture {
  if (capture !== undefined) {
    const found = CAPTURES.find((one) => one === capture);
    if (found === undefined) throw new RangeError(`capture is one of ${CAPTURES.join(', ')}.`);
    return found;
  }
  const text = environment('INSPECTOR_CAPTURE_CONTENT');
  const fallback = standardCapture();
  if (!text) return fallback;
  const found = CAPTURES.find((one) => one === text);
  if (found === undefined) {
    warn(
      'capture',
      `INSPECTOR_CAPTURE_CONTENT is one of ${CAPTURES.join(', ')}: ${fallback} it is.`,
    );
  }
  return found ?? fallback;
}

/** Return whether what begins in this process is one session: the argument, else `INSPECTOR_SESSION`. */
export function isSessionOfProcess(mode: string | undefined): boolean {
  const found = mode ?? environment('INSPECTOR_SESSION');
  if (found && !['per-process', 'per-trace'].includes(found)) {
    warn('session', `INSPECTOR_SESSION is per-process or per-trace: it is per-trace.`);
  }
  return found === 'per-process';
}

/** Return whether a switch of the environment is on; any other value is said and ignored. */
export function isOn(variable: string, otherwise: boolean): boolean {
  const text = environment(variable);
  if (!text) return otherwise;
  const found = SWITCH[text];
  if (found === undefined) {
    const names = Object.keys(SWITCH).join(', ');
    warn(variable, `${variable} is one of ${names}: it is ${otherwise ? 'on' : 'off'}.`);
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
