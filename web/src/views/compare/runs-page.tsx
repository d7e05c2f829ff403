/** `/ui/compare?session=…&session=…`: several sessions, each step beside each other. */
import { useEffect, useMemo, useState } from 'react';
import type { Problem, RunStep, RunTable as Runs } from '../../api/types.ts';
import { AlignedTree } from '../../state/aligned.ts';
import { passing } from '../../state/passing.ts';
import { compareAllPath } from '../../state/route.ts';
import { COMPARE_TEXT } from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { useCell, useInspector, useTitle } from '../parts/context.ts';
import { Link } from '../parts/link.tsx';
import { useMoreTries } from '../parts/more-tries.ts';
import { ComparisonFailed } from './comparison-failed.tsx';
import { RunTable } from './run-table.tsx';

export function RunsPage({ ids }: { readonly ids: readonly string[] }) {
  const { api } = useInspector();
  const [again, setAgain] = useState(0);
  const key = ids.join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the ids by their text, and once more
  const tree = useMemo(
    () => new AlignedTree<RunStep, Runs>((page, signal) => api.compareRuns(ids, page, signal)),
    [api, key, again],
  );
  useEffect(() => {
    void tree.more();
    return () => tree.close();
  }, [tree]);
  const onAgain = () => setAgain((times) => times + 1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the same each time
  const actions = useMemo(() => [{ name: COMPARE_TEXT.again, keys: ['r'], run: onAgain }], []);
  useActions('Compare', actions);
  useTitle(COMPARE_TEXT.title);
  const state = useCell(tree.state);
  useMoreTries(passing(state), () => void tree.more());
  const page = useCell(tree.first);
  const others = state.kind === 'failed' ? othersThan(state.problem, ids) : undefined;
  return (
    <main className="ins-compare ins-compare--runs">
      <h1 className="ins-hidden">{COMPARE_TEXT.heading}</h1>
      {state.kind === 'failed' && (
        <ComparisonFailed state={state} onAgain={onAgain}>
          {others === undefined ? undefined : (
            <Link className="ins-link" to={others}>
              {COMPARE_TEXT.withoutRun}
            </Link>
          )}
        </ComparisonFailed>
      )}
      {page !== undefined ? (
        <RunTable key={`${key} ${again}`} tree={tree} page={page} onAgain={onAgain} />
      ) : (
        state.kind !== 'failed' && (
          <p className="ins-compare__start" role="status">
            {COMPARE_TEXT.comparing}
          </p>
        )
      )}
    </main>
  );
}

/** The same comparison without the run that the problem names: it was deleted meanwhile. */
function othersThan(problem: Problem | undefined, ids: readonly string[]): string | undefined {
  const gone = problem?.session_id;
  return gone == null ? undefined : compareAllPath(ids.filter((id) => id !== gone));
}
