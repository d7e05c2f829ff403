/** The aligned steps of two sessions, read from the service page by page. */
import { useCallback, useEffect, useMemo, useRef } from 'react';
import type { AlignedStep, AlignedSteps } from '../../api/types.ts';
import { differenceOf } from '../../model/sessions/aligned.ts';
import { differenceKey, type SelectedDifference } from '../../model/sessions/comparison.ts';
import { AlignedTree } from '../../state/aligned.ts';
import type { Compared } from '../../state/comparison.ts';
import { passing } from '../../state/passing.ts';
import { COMPARE_TEXT } from '../../texts.ts';
import { useCell, useInspector } from '../parts/context.ts';
import { useMoreTries } from '../parts/more-tries.ts';
import { AlignedView } from './aligned-view.tsx';
import { ComparisonFailed } from './comparison-failed.tsx';

interface AlignedDifferencesProps {
  readonly compared: Compared;
  /** Key of the span to show at first. */
  readonly wanted: string | undefined;
  readonly selected: SelectedDifference | undefined;
  readonly onSelect: (difference: SelectedDifference | undefined) => void;
  readonly onAgain: () => void;
}

export function AlignedDifferences({
  compared,
  wanted,
  selected,
  onSelect,
  onAgain,
}: AlignedDifferencesProps) {
  const { api } = useInspector();
  const isPartly = (useCell(compared.result)?.not_compared ?? 0) > 0;
  const { left, right, changes } = compared;
  const goal = useRef(wanted);
  const tree = useMemo(
    () =>
      new AlignedTree<AlignedStep, AlignedSteps>((page, signal) => {
        const span = page.version === undefined ? goal.current : undefined;
        return api.compareRows({ left, right, change: changes, span, ...page }, signal);
      }),
    [api, left, right, changes],
  );
  const open = useCallback(async () => {
    const step = await openAt(tree, changes.length > 0);
    if (step === undefined || goal.current === undefined) return;
    goal.current = undefined;
    onSelect(differenceOf(step, tree.known.get().steps));
  }, [tree, changes, onSelect]);
  useEffect(() => {
    void open();
    return () => tree.close();
  }, [tree, open]);
  const state = useCell(tree.state);
  const page = useCell(tree.first);
  useMoreTries(passing(state), () => void (page === undefined ? open() : tree.more()));
  const { steps } = useCell(tree.known);
  const select = useCallback(
    (step: AlignedStep | undefined) => onSelect(step && differenceOf(step, tree.known.get().steps)),
    [onSelect, tree],
  );
  const key = selected && differenceKey(selected);
  const step = useMemo(() => steps.find((one) => differenceKey(one) === key), [steps, key]);
  const failed = state.kind === 'failed' && <ComparisonFailed state={state} onAgain={onAgain} />;
  if (failed && page === undefined) return failed;
  if (page === undefined || (page.steps.length === 0 && changes.length > 0)) {
    return (
      <p className="ins-compare__start" role="status">
        {page === undefined ? COMPARE_TEXT.comparing : COMPARE_TEXT.noneOfKind}
      </p>
    );
  }
  return (
    <>
      {failed}
      <AlignedView
        key={page.version + changes}
        tree={tree}
        page={page}
        hasFilter={changes.length > 0}
        isPartly={isPartly}
        selected={step}
        onSelect={select}
      />
    </>
  );
}

/** Read up to the span that was looked for, else to the first difference; return its step. */
async function openAt(
  tree: AlignedTree<AlignedStep, AlignedSteps>,
  hasFilter: boolean,
): Promise<AlignedStep | undefined> {
  await tree.more();
  const page = tree.first.get();
  const row = page?.found_row ?? (hasFilter ? null : page?.first_difference);
  if (row == null) return undefined;
  await tree.reach(row);
  return tree.known.get().steps.find((step) => step.row === row);
}
