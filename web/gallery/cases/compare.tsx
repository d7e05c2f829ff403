/** Cases of the comparison of two sessions. */
import type { AlignedSteps, Change, Comparison } from '../../src/api/types.ts';
import { ComparePage } from '../../src/views/compare/compare-page.tsx';
import { DifferencePanel } from '../../src/views/compare/difference-panel.tsx';
import { After, pressed, typed } from '../after.tsx';
import type { GalleryCase } from '../case.ts';
import { type Answers, failure, ok, recordedJson, silence } from '../service.ts';
import { Stage, type StageProps } from '../stage.tsx';

const BOTH = '/compare?left=before&right=after';
const compared = () => recordedJson<Comparison>(BOTH);

/** The recorded comparison, filtered as the service does. */
const NARROWED: Answers = (path, query) => {
  const isWanted = ({ changes }: { readonly changes: readonly Change[] }) =>
    changes.some((change) => query.getAll('change').includes(change));
  if (path === '/compare/rows') {
    const page = recordedJson<AlignedSteps>('/compare/rows?left=before&right=after');
    const steps = page.steps.filter((step) => step.depth === 0 || isWanted(step));
    return ok(JSON.stringify({ ...page, steps, later_count: 0 }));
  }
  if (path !== '/compare') return undefined;
  const result = compared();
  const differences = result.differences.filter(isWanted);
  return ok(JSON.stringify({ ...result, differences, difference_count: differences.length }));
};

function compare(name: string, stage: StageProps, height = 320): GalleryCase {
  return {
    name: `compare, ${name}`,
    height,
    Shown: () => (
      <Stage {...stage}>
        <ComparePage />
      </Stage>
    ),
  };
}

function panel(what: string): GalleryCase {
  return {
    name: `compare, difference of ${what}`,
    height: 520,
    Shown: () => {
      const result = compared();
      const of = result.differences.find(({ path }) => path.at(-1)?.startsWith(what));
      return of && <DifferencePanel difference={of} result={result} onClose={() => {}} />;
    },
  };
}

export const cases: readonly GalleryCase[] = [
  compare('none chosen', { at: 'compare' }),
  compare('one chosen', { at: 'compare?left=before' }),
  {
    name: 'compare, choosing',
    height: 400,
    Shown: () => (
      <Stage at="compare?left=before">
        <After deed={typed('[aria-label="Session after"] input', 'session')}>
          <ComparePage />
        </After>
      </Stage>
    ),
  },
  compare('the same twice', { at: 'compare?left=before&right=before' }),
  compare('loading', { at: 'compare?left=before&right=after', answers: silence }),
  compare('failed', { at: 'compare?left=before&right=after', answers: failure }),
  compare('one is gone', { at: 'compare?left=before&right=nobody' }),
  compare('no difference', { at: 'compare?left=before&right=again' }, 460),
  compare('differences', { at: 'compare?left=before&right=after' }, 760),
  {
    name: 'compare, later differences',
    height: 760,
    Shown: () => (
      <Stage at="compare?left=before&right=after">
        <After deed={pressed('.ins-aligned__row--later')}>
          <ComparePage />
        </After>
      </Stage>
    ),
  },
  compare('by importance', { at: 'compare?left=before&right=after&view=importance' }, 760),
  compare('several runs', { at: 'compare?session=before&session=after&session=again' }, 460),
  compare(
    'several runs, failed',
    { at: 'compare?session=before&session=after&session=again', answers: failure },
    320,
  ),
  compare(
    'one kind',
    { at: 'compare?left=before&right=after&change=added', answers: NARROWED },
    420,
  ),
  compare('one still runs', { at: 'compare?left=before&right=wire' }, 520),
  panel('execute_tool merge'),
  panel('chat write'),
  panel('chat check'),
  panel('execute_tool abort'),
];
