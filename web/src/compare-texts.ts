/** The catalogue's section of comparisons: it is loaded with them. Otherwise as `texts.ts`. */
import { formatDuration, groupThousands, plural } from './model/text/format.ts';

export const COMPARE_TEXT = {
  about:
    'Differences in spans, errors, durations, cost and output, matched from the root down. Type part of a title, or paste an id or a link.',
  sameTwice: 'Both sides are the same session. Choose another one.',
  comparing: 'Comparing …',
  gone: 'The session may have been deleted, or its id is incomplete. Choose another one.',
  stillRuns: 'A session was still running. Compare again to update.',
  none: 'No differences.',
  noneOfKind: 'No differences of this kind.',
  outputPart: 'First different part of the output',
  errorBefore: 'Error before',
  errorAfter: 'Error after',
  openBefore: 'Open in session before',
  openAfter: 'Open in session after',
  title: 'Compare',
  heading: 'Compare sessions',
  before: 'Before',
  after: 'After',
  aligned: 'Aligned',
  byImportance: 'By importance',
  tree: 'Aligned steps',
  first: 'First difference',
  follows: 'Starts after the first difference and may follow from it.',
  same: 'The same in both sessions.',
  absent: 'not in this run',
  running: 'running',
  nextDifference: 'Next difference',
  previousDifference: 'Previous difference',
  swap: 'Swap the sessions',
  again: 'Compare again',
  all: 'All differences',
  step: 'Step',
  runs: 'Steps of all runs',
  firstRun: 'first run',
  addRun: 'Add a run',
  removeRun: 'Remove from the comparison',
  withoutRun: 'Compare the others',
  signs: 'Signs',
  backToRuns: (count: number) => `Back to all ${count} runs`,
  changed: 'New spans arrived. Compare again to include them.',
  partly: (count: number) =>
    `Content of ${plural(count, 'span')} not compared: too large or too many`,
} as const;

/** The sentence over a comparison; `change` in words, such as `different output`. */
export function firstDifference(change: string | undefined): string {
  const what = change === undefined ? 'is different' : (FIRST_DIFFERENCE[change] ?? change);
  return `${what}. Later differences may follow from it.`;
}

/** What happened to a step, after its name. */
const FIRST_DIFFERENCE: Readonly<Record<string, string>> = {
  failed: 'failed',
  recovered: 'no longer fails',
  added: 'was added',
  removed: 'was removed',
  other_model: 'ran on a different model',
  asked_differently: 'got different input',
  answered_differently: 'gave different output',
};

/** Steps that are not shown between others; `mayDiffer`: in ways that are not marked in them. */
export function stepsBetween(count: number, mayDiffer: boolean, isPartly: boolean): string {
  return mayDiffer ? plural(count, 'other step') : withoutDifference(count, 'step', isPartly);
}

/** Spans or steps without a difference; `isPartly`: the content of some was not compared. */
export function withoutDifference(count: number, what: string, isPartly: boolean): string {
  return `${plural(count, what)} ${isPartly ? 'with no difference found' : 'the same'}`;
}

export function laterDifferences(count: number, isShown: boolean): string {
  const what = `${plural(count, 'later difference')} may follow from this`;
  return `${what}: ${isShown ? 'hide' : 'show'}`;
}

export function stepsBelow(count: number): string {
  return `${plural(count, 'step')} below`;
}

export function differencesBelow(count: number): string {
  return `${plural(count, 'difference')} below`;
}

export function selfTime(own_ns: number): string {
  return `self ${formatDuration(own_ns)}`;
}

/** Steps that only some of the runs have in the same way. */
export function runsDiffer(differing: number, steps: number): string {
  return `${groupThousands(differing)} of ${plural(steps, 'step')} differ between the runs`;
}
