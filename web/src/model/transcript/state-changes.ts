/** What a capture of a state changed, short enough for one line: `total 10 → 70`. */
import type { StateDifference } from '../../api/types.ts';

export interface ShortChange {
  readonly op: StateDifference['op'];
  /** Members and positions from the top, with points between: `items.0.price`. */
  readonly path: string;
  /** Values as JSON, shortened; undefined: there is none, or it is not known. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Limit in characters of a value and of a path. */
const MAX_CHARS = 60;

export function shortChange({ op, path, before, after }: StateDifference): ShortChange {
  return {
    op,
    path: shortPath(path),
    before: before === null ? undefined : shortened(before.text),
    after: after === null ? undefined : shortened(after.text),
  };
}

/**
 * The steps of a JSON Patch (RFC 6902). It says what a value becomes and not what it was;
 * undefined when it cannot be read, as one that is cut short.
 */
export function patchChanges(patch: string): readonly ShortChange[] | undefined {
  let steps: unknown;
  try {
    steps = JSON.parse(patch);
  } catch {
    return undefined;
  }
  if (!Array.isArray(steps)) return undefined;
  return steps.filter(isStep).map(({ op, path, value }) => ({
    op: op === 'remove' || op === 'add' ? op : 'replace',
    path: shortPath(path),
    before: undefined,
    after: value === undefined ? undefined : shortened(JSON.stringify(value)),
  }));
}

function isStep(step: unknown): step is { op: string; path: string; value?: unknown } {
  if (typeof step !== 'object' || step === null) return false;
  const { op, path } = step as Record<string, unknown>;
  return typeof op === 'string' && op !== 'test' && typeof path === 'string';
}

/** A JSON Pointer (RFC 6901) as people write a path; empty for the whole state. */
function shortPath(pointer: string): string {
  const path = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
  return path.length <= MAX_CHARS ? path : `…${path.slice(1 - MAX_CHARS)}`;
}

function shortened(json: string): string {
  const line = json.replace(/\s+/g, ' ');
  return line.length <= MAX_CHARS ? line : `${line.slice(0, MAX_CHARS - 1)}…`;
}
