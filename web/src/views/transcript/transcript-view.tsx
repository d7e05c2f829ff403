/** Transcript: a session as text, from top to bottom. */
import { type KeyboardEvent, memo, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { spanKey } from '../../model/trace/span-key.ts';
import type { Entry, TranscriptLayout } from '../../model/transcript/transcript.ts';
import { wordsOf } from '../../model/transcript/transcript-text.ts';
import type { Trace } from '../../state/trace.ts';
import { Readings, type Wanted } from '../../state/transcript.ts';
import { useActions } from '../parts/actions.ts';
import { useCell, useInspector, useRoute, useVersion } from '../parts/context.ts';
import { StatusIcon } from '../parts/icons.tsx';
import { NewPill } from '../parts/new-pill.tsx';
import type { SessionViewProps } from '../parts/session-view.ts';
import { useWaiting } from '../parts/waiting.ts';
import { EntryView } from './entry.tsx';
import { useFound, useMarks } from './find.ts';
import { useTranscriptLayout } from './layout.ts';
import { plainName } from './moments.tsx';
import { useEntryScrolling } from './scrolling.ts';
import { TranscriptTools } from './tools.tsx';
import './transcript.css';

export function TranscriptView({ trace, selected, onSelect }: SessionViewProps) {
  const { api, router } = useInspector();
  const readings = useMemo(() => new Readings(trace.sessionId, api), [trace, api]);
  useEffect(() => () => readings.close(), [readings]);
  const find = useRoute().query.get('find') ?? '';
  const [isWhole, setWhole] = useState(false);
  const [isRaw, setRaw] = useState(false);
  const { layout, fold, foldAll, hasOpenCards } = useTranscriptLayout(trace, isWhole);
  const { entries } = layout;
  const session = useCell(trace.session);
  const isLive = useCell(trace.state).kind === 'ready' && session?.ended_at === null;
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const { virtualizer, newBelow, follow } = useEntryScrolling(
    scroller,
    entries,
    isLive,
    isLive && selected === undefined,
  );
  const items = virtualizer.getVirtualItems();
  const [cursor, setCursor] = useState<string | undefined>(selected);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const waiting = useWaiting(trace);
  const waitingIn = useMemo(() => byEntry(layout, waiting), [layout, waiting]);
  const found = useFound(trace, readings, find);
  const foundIn = useMemo(() => byEntry(layout, found), [layout, found]);
  useMarks(scroller, find);
  useWants(trace, readings, layout, items[0]?.index ?? 0, items.length, find !== '');

  /** Entry to scroll to once it is laid out, and whether it takes the focus. */
  const pending = useRef<{ key: string; hasFocus: boolean } | undefined>(undefined);
  const focusing = useRef<string | undefined>(undefined);
  const goTo = useCallback(
    (key: string, hasFocus = false) => {
      pending.current = { key, hasFocus };
      setCursor(key);
      const hiding = layout.above(key).filter((agent) => {
        const at = layout.entryOf.get(agent);
        return agent !== key && at !== undefined && entries[at]?.isFolded !== false;
      });
      if (hiding.length > 0) fold(hiding, false);
    },
    [layout, entries, fold],
  );
  useEffect(() => {
    const goal = pending.current;
    const index = goal === undefined ? undefined : indexOf(layout, goal.key);
    if (goal === undefined || index === undefined || scroller === null) return;
    if (scroller.clientHeight === 0) return;
    pending.current = undefined;
    const item = virtualizer.getVirtualItems().find((one) => one.index === index);
    const isInView =
      item !== undefined &&
      item.start >= scroller.scrollTop &&
      item.start + Math.min(item.size, 120) <= scroller.scrollTop + scroller.clientHeight;
    if (!isInView) virtualizer.scrollToIndex(index, { align: goal.hasFocus ? 'auto' : 'center' });
    const id = entries[index]?.id;
    setCursor(id);
    if (!goal.hasFocus || id === undefined) return;
    focusing.current = id;
    focusEntry(scroller, id, () => focusing.current === id);
  });
  const lastSelected = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (selected === lastSelected.current) return;
    if (selected !== undefined && trace.spans.get(selected) === undefined) return;
    lastSelected.current = selected;
    if (selected !== undefined && cursorKey(cursor) !== selected) goTo(selected);
  });

  const onFold = useCallback(
    (entry: Entry, isFolded: boolean) => {
      if (entry.isCard && entry.type === 'agent') fold([entry.key], isFolded);
      else
        setOpened((before) => {
          const next = new Set(before);
          if (isFolded) next.delete(entry.id);
          else next.add(entry.id);
          return next;
        });
    },
    [fold],
  );
  const at = cursor === undefined ? -1 : indexOf(layout, cursor);
  const onPick = useCallback(
    (id: string) => {
      setCursor(id);
      // A click opens the panel once it is there to be looked at beside.
      if (router.route.get().query.has('span')) onSelect(cursorKey(id));
    },
    [router, onSelect],
  );
  const moveTo = useCallback(
    (index: number) => {
      const entry = entries[Math.max(0, Math.min(entries.length - 1, index))];
      if (entry === undefined) return;
      pending.current = { key: entry.id, hasFocus: true };
      setCursor(entry.id);
    },
    [entries],
  );
  const current = at === undefined || at < 0 ? undefined : entries[at];
  const step = useCallback(
    (by: number) => {
      const place = current === undefined ? -1 : found.indexOf(current.key);
      const key = found[(Math.max(place, by > 0 ? -1 : 0) + by + found.length) % found.length];
      if (key !== undefined) goTo(key);
    },
    [current, found, goTo],
  );
  const copy = useCallback(() => {
    const read = current === undefined ? undefined : readings.reads.get(current.key);
    if (read !== undefined) void navigator.clipboard?.writeText(wordsOf(read.reading));
  }, [current, readings]);
  const actions = useMemo(() => {
    const key = current?.key;
    return [
      { name: 'Next entry', keys: ['j'], run: () => moveTo((at ?? -1) + 1) },
      { name: 'Previous entry', keys: ['k'], run: () => moveTo((at ?? 1) - 1) },
      { name: 'Open the span of the entry', keys: ['o'], run: () => key && onSelect(key) },
      { name: 'Copy the entry', keys: ['c'], run: copy },
      { name: 'Exact text, formatted text', keys: ['r'], run: () => setRaw(!isRaw) },
      { name: 'Show all spans, only what is said', run: () => setWhole(!isWhole) },
    ];
  }, [onSelect, moveTo, at, current, copy, isRaw, isWhole]);
  useActions('Transcript', actions);

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // Keys in what is inside of an entry are its own.
    if (event.target !== scroller && !isEntry(event.target)) return;
    const act = entryAction(event.key, { layout, at: at ?? -1, opened, moveTo, onFold, onSelect });
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  const setFind = useCallback((text: string) => router.adjust({ find: text }), [router]);
  const matches = foundIn.size;
  return (
    <section className="ins-transcript" aria-label="Transcript">
      <TranscriptTools
        find={find}
        found={find === '' ? undefined : found.length}
        place={current === undefined ? -1 : found.indexOf(current.key)}
        isWhole={isWhole}
        isRaw={isRaw}
        hasOpenCards={hasOpenCards}
        onFind={setFind}
        onStep={step}
        onWhole={setWhole}
        onRaw={setRaw}
        onFoldAll={foldAll}
      />
      <Outcome trace={trace} layout={layout} onGoTo={goTo} />
      <div
        ref={setScroller}
        className="ins-transcript__scroller"
        role="feed"
        aria-label="Entries"
        aria-busy={entries.length === 0 && trace.state.get().kind === 'loading'}
        tabIndex={current === undefined ? 0 : -1}
        onKeyDown={onKeyDown}
      >
        <div className="ins-transcript__entries" ref={virtualizer.containerRef}>
          <div className="ins-transcript__in-view">
            {items.map((item) => {
              const entry = entries[item.index];
              if (entry === undefined) return null;
              return (
                <EntryView
                  key={item.key}
                  trace={trace}
                  readings={readings}
                  layout={layout}
                  entry={entry}
                  index={item.index}
                  count={entries.length}
                  isCursor={item.index === at}
                  isSelected={entry.key === selected}
                  isMatch={matches > 0 && foundIn.has(item.index)}
                  isOpen={opened.has(entry.id)}
                  isRaw={isRaw}
                  waiting={waitingIn.get(item.index) ?? NONE}
                  onPick={onPick}
                  onOpen={onSelect}
                  onGoTo={goTo}
                  onFold={onFold}
                  measure={virtualizer.measureElement}
                />
              );
            })}
          </div>
        </div>
        {entries.length === 0 && <Nothing trace={trace} />}
      </div>
      {newBelow > 0 && <NewPill count={newBelow} direction="down" onClick={follow} />}
    </section>
  );
}

const NONE: readonly string[] = [];

function cursorKey(cursor: string | undefined): string | undefined {
  return cursor?.replace(/:end$/, '');
}

/** Index of an entry by its id, or by a span that it shows. */
function indexOf({ entries, entryOf }: TranscriptLayout, id: string): number | undefined {
  const key = id.replace(/:end$/, '');
  const index = entryOf.get(key);
  if (id === key || index === undefined) return index;
  const end = entries.findIndex((entry) => entry.id === id);
  return end < 0 ? index : end;
}

function byEntry(
  { entryOf }: TranscriptLayout,
  keys: Iterable<string>,
): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, string[]>();
  for (const key of keys) {
    const index = entryOf.get(key);
    if (index === undefined) continue;
    const known = found.get(index);
    if (known === undefined) found.set(index, [key]);
    else known.push(key);
  }
  return found;
}

function isEntry(target: EventTarget): boolean {
  return target instanceof HTMLElement && target.dataset['entry'] !== undefined;
}

/**
 * Focus an entry once it is in the document, which may take some frames of scrolling, unless
 * another one is wanted by then.
 */
function focusEntry(scroller: HTMLElement, id: string, isWanted: () => boolean, tries = 20): void {
  if (!isWanted()) return;
  const element = scroller.querySelector<HTMLElement>(`[data-entry="${CSS.escape(id)}"]`);
  if (element !== null) element.focus({ preventScroll: true });
  else if (tries > 0) requestAnimationFrame(() => focusEntry(scroller, id, isWanted, tries - 1));
}

interface EntryKeys {
  readonly layout: TranscriptLayout;
  readonly at: number;
  readonly opened: ReadonlySet<string>;
  readonly moveTo: (index: number) => void;
  readonly onFold: (entry: Entry, isFolded: boolean) => void;
  readonly onSelect: (key: string) => void;
}

function entryAction(
  key: string,
  { layout, at, opened, moveTo, onFold, onSelect }: EntryKeys,
): (() => void) | undefined {
  const { entries, agentOf, entryOf } = layout;
  const entry = entries[at];
  switch (key) {
    case 'ArrowDown':
      return () => moveTo(at + 1);
    case 'ArrowUp':
      return () => moveTo(at - 1);
    case 'Home':
      return () => moveTo(0);
    case 'End':
      return () => moveTo(entries.length - 1);
  }
  if (entry === undefined) return undefined;
  const isCard = entry.isCard && entry.type === 'agent';
  const isOpen = isCard ? !entry.isFolded : opened.has(entry.id);
  switch (key) {
    case 'ArrowRight':
      return isOpen ? () => moveTo(at + 1) : () => onFold(entry, false);
    case 'ArrowLeft': {
      if (isOpen) return () => onFold(entry, true);
      const above = entryOf.get(agentOf.get(entry.key) ?? '');
      return above === undefined ? undefined : () => moveTo(above);
    }
    case 'Enter':
      return () => onSelect(entry.key);
    default:
      return undefined;
  }
}

/** Number of entries beyond the view to load. */
const AHEAD = 12;
const MAX_FIND = 5000;

/**
 * Request readings of the entries in view and of the neighbours that they need; while searching, of
 * all.
 */
function useWants(
  trace: Trace,
  readings: Readings,
  layout: TranscriptLayout,
  first: number,
  count: number,
  isFinding: boolean,
): void {
  const version = useVersion(trace.spans);
  const momentCounts = useVersion(trace.momentCounts);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the versions say that rows are newer
  useEffect(() => {
    const keys = new Set<string>();
    const add = (key: string | undefined) => {
      if (key !== undefined) keys.add(key);
    };
    const need = (entry: Entry | undefined) => {
      if (entry === undefined) return;
      add(entry.key);
      add(entry.via);
      if (entry.type === 'end') add(layout.lastCall.get(entry.key));
      // A folded agent says why something in it failed.
      if (entry.isFolded) add(layout.sums.get(entry.key)?.cause);
    };
    const { entries } = layout;
    for (let at = first; at < first + count; at += 1) need(entries[at]);
    for (let at = first; at < first + count; at += 1) {
      const key = entries[at]?.key ?? '';
      // A call is read with the results that the next one was sent, a tool with its call.
      const call = layout.callOf.get(key) ?? key;
      add(layout.callOf.get(key));
      // What was decided in the agent meanwhile stands at the turn that followed.
      if (entries[at]?.type === 'call') add(layout.agentOf.get(key));
      add(layout.before.get(key));
      add(layout.next.get(call));
    }
    for (let away = 1; away <= AHEAD; away += 1) {
      need(entries[first + count - 1 + away]);
      need(entries[first - away]);
    }
    if (isFinding) {
      let left = MAX_FIND;
      for (const row of trace.spans.values()) {
        if (left === 0) break;
        if (row.duplicate_of !== null || row.kind === 'other' || row.kind === 'http') continue;
        left -= 1;
        keys.add(spanKey(row));
      }
    }
    const wanted: Wanted[] = [];
    for (const key of keys) {
      const row = trace.spans.get(key);
      if (row === undefined) continue;
      wanted.push({
        key,
        row,
        before: layout.before.get(key),
        momentCount: trace.momentCounts.get(key) ?? 0,
      });
    }
    readings.want(wanted);
  }, [trace, readings, layout, first, count, isFinding, version, momentCounts]);
}

interface OutcomeProps {
  readonly trace: Trace;
  readonly layout: TranscriptLayout;
  readonly onGoTo: (key: string) => void;
}

/** Outcome of a session that ended badly: one line, always in view. */
const Outcome = memo(function Outcome({ trace, layout, onGoTo }: OutcomeProps) {
  const session = useCell(trace.session);
  const status = session?.status;
  const errors = useCell(trace.errorCount);
  const cause = status === 'failed' && errors > 0 ? trace.tally.firstCause() : undefined;
  if (cause !== undefined) {
    const agent = trace.spans.get(layout.agentOf.get(spanKey(cause)) ?? '');
    return (
      <p className="ins-transcript__outcome">
        <StatusIcon shape="failed" />
        <span>
          Failed because <strong>{plainName(cause.name)}</strong> failed
          {agent !== undefined && cause.kind !== 'agent' && ` in ${plainName(agent.name)}`}
          {errors > 1 && ', the first of the failures'}.
        </span>
        <button type="button" className="ins-link" onClick={() => onGoTo(spanKey(cause))}>
          Show where
        </button>
      </p>
    );
  }
  if (status !== 'cancelled' && status !== 'lost') return null;
  return (
    <p className="ins-transcript__outcome ins-transcript__outcome--quiet">
      <StatusIcon shape={status} />
      {status === 'cancelled'
        ? 'Cancelled: what follows is as far as it came.'
        : 'Lost: its process was not heard of any more; what follows is as far as it came.'}
    </p>
  );
});

function Nothing({ trace }: { readonly trace: Trace }) {
  const state = useCell(trace.state);
  if (state.kind === 'ready')
    return <p className="ins-transcript__none">No span has arrived yet.</p>;
  return (
    <div className="ins-transcript__loading" role="status">
      <span className="ins-hidden">Loading</span>
      {[30, 72, 64, 40, 80, 55].map((width) => (
        <span key={width} style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}
