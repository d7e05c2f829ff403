/** `/ui/compare`: two sessions side by side, with their differences. */
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Change, Comparison, Difference } from '../../api/types.ts';
import { CHANGE_NAMES, CHANGE_SIGNS, CHANGES } from '../../model/sessions/comparison.ts';
import { formatCount, plural } from '../../model/text/format.ts';
import { plainLine } from '../../model/text/hidden-characters.ts';
import { Cell } from '../../state/cell.ts';
import { Compared } from '../../state/comparison.ts';
import type { LoadState } from '../../state/sessions.ts';
import { COMPARE_TEXT } from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { useCell, useInspector, useRoute, useTitle } from '../parts/context.ts';
import { Split } from '../parts/split.tsx';
import { CompareSummary } from './compare-summary.tsx';
import { DifferenceList } from './difference-list.tsx';
import { DifferencePanel } from './difference-panel.tsx';
import { SessionPicker } from './session-picker.tsx';
import '../parts/chips.css';
import '../parts/search-field.css';
import '../parts/query-field.css';
import './compare-page.css';

export function ComparePage() {
  const { router } = useInspector();
  const { query } = useRoute();
  const left = query.get('left') ?? '';
  const right = query.get('right') ?? '';
  const filter = query.get('change') ?? '';
  const changes = useMemo(() => CHANGES.filter((one) => filter.split(',').includes(one)), [filter]);
  const [again, setAgain] = useState(0);
  const compared = useCompared(left, right, changes, again);
  const sessions = useSessionsOf(compared, left, right);
  const swap = useCallback(() => {
    const now = router.route.get().query;
    router.adjust({ left: now.get('right') ?? '', right: now.get('left') ?? '' });
  }, [router]);
  const actions = useMemo(
    () => [
      { name: 'Swap the sessions', keys: ['x'], run: swap },
      { name: 'Compare again', keys: ['r'], run: () => setAgain((times) => times + 1) },
      { name: 'All differences', run: () => router.adjust({ change: undefined }) },
    ],
    [swap, router],
  );
  useActions('Compare', actions);
  useTitle('Compare');
  return (
    <main className="ins-compare">
      <h1 className="ins-hidden">Compare two sessions</h1>
      <div className="ins-compare__sides">
        <SessionPicker
          label="Session before"
          id={left}
          session={sessions?.left}
          onChoose={(id) => router.adjust({ left: id })}
        />
        <button type="button" className="ins-verb" onClick={swap} title="Swap the sessions (X)">
          Swap
        </button>
        <SessionPicker
          label="Session after"
          id={right}
          session={sessions?.right}
          onChoose={(id) => router.adjust({ right: id })}
        />
      </div>
      {compared === undefined ? (
        <Start left={left} right={right} />
      ) : (
        <Differences
          key={`${left} ${right} ${again}`}
          compared={compared}
          sessions={sessions}
          onAgain={() => setAgain((times) => times + 1)}
        />
      )}
    </main>
  );
}

function useCompared(
  left: string,
  right: string,
  changes: readonly Change[],
  again: number,
): Compared | undefined {
  const { api } = useInspector();
  const [compared, setCompared] = useState<Compared>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for again, it is read again
  useEffect(() => {
    if (left === '' || right === '' || left === right) return setCompared(undefined);
    const next = new Compared(api, left, right, changes);
    setCompared(next);
    void next.more();
    return () => next.close();
  }, [api, left, right, changes, again]);
  return compared;
}

const NONE = new Cell<Comparison | undefined>(undefined);

/** Both sessions and the counts, kept while other differences of the same two are read. */
function useSessionsOf(
  compared: Compared | undefined,
  left: string,
  right: string,
): Comparison | undefined {
  const result = useCell(compared?.result ?? NONE);
  const [last, setLast] = useState<{ of: string; result: Comparison }>();
  const of = `${left} ${right}`;
  useEffect(() => {
    if (result !== undefined) setLast({ of, result });
  }, [result, of]);
  return result ?? (last?.of === of ? last.result : undefined);
}

function Start({ left, right }: { readonly left: string; readonly right: string }) {
  return (
    <div className="ins-compare__start">
      {left !== '' && left === right ? (
        <p role="alert">{COMPARE_TEXT.sameTwice}</p>
      ) : (
        <>
          <h2>Choose two runs of one task</h2>
          <p>{COMPARE_TEXT.about}</p>
        </>
      )}
    </div>
  );
}

interface DifferencesProps {
  readonly compared: Compared;
  readonly sessions: Comparison | undefined;
  readonly onAgain: () => void;
}

function Differences({ compared, sessions, onAgain }: DifferencesProps) {
  const state = useCell(compared.state);
  const differences = useCell(compared.differences);
  const [selected, select] = useState<Difference>();
  if (state.kind === 'failed') return <Failed state={state} onAgain={onAgain} />;
  if (sessions === undefined) {
    return (
      <p className="ins-compare__start" role="status">
        {COMPARE_TEXT.comparing}
      </p>
    );
  }
  return (
    <Split
      main={
        <div className="ins-compare__main">
          <CompareSummary result={sessions} onAgain={onAgain} />
          <Diverged result={sessions} onSelect={select} />
          <ChangeChips result={sessions} chosen={compared.changes} />
          <DifferenceList
            compared={compared}
            differences={differences}
            state={state}
            selected={selected}
            onSelect={select}
          />
        </div>
      }
      side={
        selected !== undefined && (
          <DifferencePanel
            difference={selected}
            result={sessions}
            onClose={() => select(undefined)}
          />
        )
      }
    />
  );
}

interface FailedProps {
  readonly state: LoadState & { readonly kind: 'failed' };
  readonly onAgain: () => void;
}

function Failed({ state, onAgain }: FailedProps) {
  return (
    <div className="ins-compare__start" role="alert">
      <p>{state.message}</p>
      {state.status === 404 ? (
        <p>{COMPARE_TEXT.gone}</p>
      ) : (
        <button type="button" className="ins-link" onClick={onAgain}>
          Try again
        </button>
      )}
    </div>
  );
}

interface DivergedProps {
  readonly result: Comparison;
  readonly onSelect: (difference: Difference) => void;
}

/** Card of the first difference: later ones may follow from it. */
function Diverged({ result, onSelect }: DivergedProps) {
  const { diverged } = result;
  if (diverged === null) return null;
  const [change] = diverged.changes;
  return (
    <p className="ins-compare__diverged">
      {COMPARE_TEXT.diverged}{' '}
      <button type="button" className="ins-link" onClick={() => onSelect(diverged)}>
        {plainLine(diverged.path.at(-1) ?? '', 60)}
      </button>
      {change !== undefined && `: ${CHANGE_NAMES[change]}`}. {COMPARE_TEXT.mayFollow}
    </p>
  );
}

interface ChangeChipsProps {
  readonly result: Comparison;
  readonly chosen: readonly Change[];
}

function ChangeChips({ result, chosen }: ChangeChipsProps) {
  const { router } = useInspector();
  const toggle = (change: Change) => {
    const next = chosen.includes(change)
      ? chosen.filter((one) => one !== change)
      : [...chosen, change];
    router.adjust({ change: next.join(',') });
  };
  const present = CHANGES.filter((one) => result.counts[one] !== undefined || chosen.includes(one));
  return (
    <div className="ins-chips ins-compare__chips" role="group" aria-label="Kinds of differences">
      {present.map((change) => (
        <button
          key={change}
          type="button"
          className="ins-chip"
          aria-pressed={chosen.includes(change)}
          onClick={() => toggle(change)}
        >
          <span className={`ins-change ins-change--${change}`} aria-hidden="true">
            {CHANGE_SIGNS[change]}
          </span>
          {CHANGE_NAMES[change]} {formatCount(result.counts[change] ?? 0)}
        </button>
      ))}
      <span className="ins-compare__same">
        {plural(result.same_count, 'span')} the same
        {result.not_compared > 0 && `, of ${formatCount(result.not_compared)} only times and costs`}
      </span>
    </div>
  );
}
