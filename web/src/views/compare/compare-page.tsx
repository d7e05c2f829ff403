/** `/ui/compare`: two sessions side by side, with their differences; or several in a table. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Change, Comparison, Difference } from '../../api/types.ts';
import {
  CHANGE_SIGNS,
  CHANGES,
  differenceKey,
  type SelectedDifference,
} from '../../model/sessions/comparison.ts';
import { formatCount } from '../../model/text/format.ts';
import { plainLine } from '../../model/text/hidden-characters.ts';
import { Cell } from '../../state/cell.ts';
import { Compared } from '../../state/comparison.ts';
import { passing } from '../../state/passing.ts';
import { compareAllPath } from '../../state/route.ts';
import { CHANGE_NAMES, COMPARE_TEXT, firstDifference, withoutDifference } from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { useCell, useInspector, useRoute, useTitle } from '../parts/context.ts';
import { Link } from '../parts/link.tsx';
import { useMoreTries } from '../parts/more-tries.ts';
import { Split } from '../parts/split.tsx';
import { AlignedDifferences } from './aligned-differences.tsx';
import { CompareSummary } from './compare-summary.tsx';
import { ComparisonFailed } from './comparison-failed.tsx';
import { DifferenceList } from './difference-list.tsx';
import { DifferencePanel } from './difference-panel.tsx';
import { RunsPage } from './runs-page.tsx';
import { SessionField, SessionPicker } from './session-picker.tsx';
import '../parts/chips.css';
import '../parts/search-field.css';
import '../parts/query-field.css';
import './compare-page.css';

/** Two sessions, or the table of several. */
export function ComparePage() {
  const ids = useRoute().query.getAll('session');
  return ids.length > 1 ? <RunsPage ids={ids} /> : <ComparePair />;
}

function ComparePair() {
  const { router } = useInspector();
  const { query } = useRoute();
  const left = query.get('left') ?? query.get('session') ?? '';
  const right = query.get('right') ?? '';
  const runs = query.getAll('run');
  const filter = query.get('change') ?? '';
  const changes = useMemo(() => CHANGES.filter((one) => filter.split(',').includes(one)), [filter]);
  const [again, setAgain] = useState(0);
  const compared = useCompared(left, right, changes, again);
  const sessions = useSessionsOf(compared, left, right);
  const swap = useCallback(() => {
    const now = router.route.get().query;
    const sides = { left: now.get('right') ?? '', right: now.get('left') ?? '' };
    router.adjust({ ...sides, span: undefined });
  }, [router]);
  const actions = useMemo(
    () => [
      { name: COMPARE_TEXT.swap, keys: ['x'], run: swap },
      { name: COMPARE_TEXT.again, keys: ['r'], run: () => setAgain((times) => times + 1) },
      { name: COMPARE_TEXT.all, run: () => router.adjust({ change: undefined }) },
    ],
    [swap, router],
  );
  useActions('Compare', actions);
  useTitle(COMPARE_TEXT.title);
  const sides = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { query: now } = router.route.get();
    const hasLeft = now.has('left') || now.has('session');
    const missing = [hasLeft, now.has('right')].indexOf(false);
    sides.current?.querySelectorAll('input')[missing]?.focus();
  }, [router]);
  return (
    <main className="ins-compare">
      <h1 className="ins-hidden">{COMPARE_TEXT.heading}</h1>
      <div ref={sides} className="ins-compare__sides">
        {runs.length > 2 && (
          <Link className="ins-link ins-compare__back" to={compareAllPath(runs)}>
            {COMPARE_TEXT.backToRuns(runs.length)}
          </Link>
        )}
        <SessionPicker
          label={COMPARE_TEXT.sessionBefore}
          id={left}
          session={sessions?.left}
          onChoose={(id) => router.adjust({ left: id, span: undefined })}
        />
        <button type="button" className="ins-verb" onClick={swap} title={COMPARE_TEXT.swapTitle}>
          {COMPARE_TEXT.swapLabel}
        </button>
        <SessionPicker
          label={COMPARE_TEXT.sessionAfter}
          id={right}
          session={sessions?.right}
          onChoose={(id) => router.adjust({ right: id, span: undefined })}
        />
        {runs.length <= 2 && left !== '' && right !== '' && (
          <div className="ins-picker ins-compare__add">
            <SessionField
              label={COMPARE_TEXT.addRun}
              chosen={[left, right]}
              onChoose={(id) => router.push(compareAllPath([left, right, id]))}
            />
          </div>
        )}
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
          <h2>{COMPARE_TEXT.chooseTwo}</h2>
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
  const { router } = useInspector();
  const { query } = useRoute();
  const isList = query.get('view') === 'importance';
  const wanted = query.get('span') ?? undefined;
  const state = useCell(compared.state);
  const differences = useCell(compared.differences);
  useMoreTries(passing(state), () => void compared.more());
  const [selected, setSelected] = useState<SelectedDifference>();
  /** What the page selected by itself. */
  const [found, setFound] = useState<SelectedDifference>();
  const select = useCallback(
    (difference: SelectedDifference | undefined) => {
      setSelected(difference);
      router.adjust({ span: difference && differenceKey(difference) });
    },
    [router],
  );
  const hasArrived = useRef(false);
  useEffect(() => {
    if (hasArrived.current || sessions === undefined) return;
    hasArrived.current = true;
    const { diverged } = sessions;
    if (wanted !== undefined || diverged === null) return;
    const isListed = ({ changes }: Difference) =>
      compared.changes.length === 0 || changes.some((one) => compared.changes.includes(one));
    if (!isListed(diverged)) return;
    setSelected(diverged);
    setFound(diverged);
  }, [sessions, wanted, compared]);
  if (state.kind === 'failed') return <ComparisonFailed state={state} onAgain={onAgain} />;
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
          <ChangeChips result={sessions} chosen={compared.changes} isList={isList} />
          {isList ? (
            <DifferenceList
              compared={compared}
              differences={differences}
              state={state}
              selected={selected}
              onSelect={select}
            />
          ) : (
            <AlignedDifferences
              compared={compared}
              wanted={wanted}
              selected={selected}
              onSelect={select}
              onAgain={onAgain}
            />
          )}
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
      isPeeking={selected !== undefined && selected === found}
      onOpen={() => setFound(undefined)}
    />
  );
}

interface DivergedProps {
  readonly result: Comparison;
  readonly onSelect: (difference: Difference) => void;
}

/** The first difference, in a sentence; or that there is none. */
function Diverged({ result, onSelect }: DivergedProps) {
  const { diverged } = result;
  if (Object.keys(result.counts).length === 0) {
    return <p className="ins-compare__diverged">{COMPARE_TEXT.none}</p>;
  }
  if (diverged === null) return null;
  return (
    <p className="ins-compare__diverged">
      {COMPARE_TEXT.first}:{' '}
      <button type="button" className="ins-link" onClick={() => onSelect(diverged)}>
        {plainLine(diverged.path.at(-1) ?? '', 60)}
      </button>{' '}
      {firstDifference(diverged.changes[0])}
    </p>
  );
}

interface ChangeChipsProps {
  readonly result: Comparison;
  readonly chosen: readonly Change[];
  /** Whether differences are listed by importance. */
  readonly isList: boolean;
}

/** Buttons over the differences: how they are shown, and which. */
function ChangeChips({ result, chosen, isList }: ChangeChipsProps) {
  const { router } = useInspector();
  const toggle = (change: Change) => {
    const next = chosen.includes(change)
      ? chosen.filter((one) => one !== change)
      : [...chosen, change];
    router.adjust({ change: next.join(',') });
  };
  const present = CHANGES.filter((one) => result.counts[one] !== undefined || chosen.includes(one));
  return (
    <div className="ins-chips ins-compare__chips" role="group" aria-label={COMPARE_TEXT.kinds}>
      {[false, true].map((isOfList) => (
        <button
          key={String(isOfList)}
          type="button"
          className="ins-chip"
          aria-pressed={isList === isOfList}
          onClick={() => router.adjust({ view: isOfList ? 'importance' : undefined })}
        >
          {isOfList ? COMPARE_TEXT.byImportance : COMPARE_TEXT.aligned}
        </button>
      ))}
      <span className="ins-chips__between" />
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
        {withoutDifference(result.same_count, 'span', result.not_compared > 0)}
        {result.not_compared > 0 && `. ${COMPARE_TEXT.partly(result.not_compared)}`}
      </span>
    </div>
  );
}
