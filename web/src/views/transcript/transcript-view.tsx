/** Transcript: a session as text, from top to bottom. */
import { memo, useCallback, useEffect, useMemo, useState } from 'react';
import { isPlain } from '../../model/trace/services.ts';
import { spanKey } from '../../model/trace/span-key.ts';
import { failedBefore } from '../../model/transcript/repeated-error.ts';
import type { Entry, TranscriptLayout } from '../../model/transcript/transcript.ts';
import { wordsOf } from '../../model/transcript/transcript-text.ts';
import type { Trace } from '../../state/trace.ts';
import { Readings, type Wanted } from '../../state/transcript.ts';
import { PARTS_TEXT, SPAN_TEXT, TRANSCRIPT_TEXT } from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { useActor } from '../parts/actor-filter.tsx';
import { useCell, useInspector, useRoute, useRow, useVersion } from '../parts/context.ts';
import { StatusIcon } from '../parts/icons.tsx';
import { useListFocus } from '../parts/list-focus.ts';
import { NewPill } from '../parts/new-pill.tsx';
import type { SessionViewProps } from '../parts/session-view.ts';
import { useWaiting } from '../parts/waiting.ts';
import { EntryView } from './entry.tsx';
import { useFound, useMarks } from './find.ts';
import { useTranscriptLayout } from './layout.ts';
import { plainName } from './moments.tsx';
import { Outline } from './outline.tsx';
import { useReadingsAt } from './readings-at.ts';
import { useEntryScrolling } from './scrolling.ts';
import { TranscriptTools } from './tools.tsx';
import './transcript.css';

export function TranscriptView({ trace, selected, onSelect }: SessionViewProps) {
  const { api, router } = useInspector();
  const { sessionId } = trace;
  const all = useMemo(() => new Readings(sessionId, api), [sessionId, api]);
  useEffect(() => () => all.close(), [all]);
  const readings = useReadingsAt(all, trace);
  const problem = useCell(all.problem);
  const actor = useActor();
  const find = useRoute().query.get('find') ?? '';
  const [isWhole, setWhole] = useState(false);
  const [isRaw, setRaw] = useState(false);
  const { layout, fold, foldAll, hasOpenCards } = useTranscriptLayout(trace, isWhole, actor);
  const { entries } = layout;
  const session = useCell(trace.session);
  const isRunning = session === undefined ? undefined : session.ended_at === null;
  const isPast = trace.whole !== trace;
  const isLive = useCell(trace.state).kind === 'ready' && isRunning === true && !isPast;
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const waiting = useWaiting(trace);
  const waitingIn = useMemo(() => byEntry(layout, waiting), [layout, waiting]);
  const found = useFound(trace, readings, find);
  const foundIn = useMemo(() => byEntry(layout, found), [layout, found]);
  useMarks(scroller, find);

  const onFold = useCallback(
    (entry: Entry, isFolded: boolean) => {
      if (isCard(entry)) fold([entry.key], isFolded);
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
  const reveal = useCallback(
    (id: string) => {
      const key = spanOf(id);
      const hiding = layout.above(key).filter((agent) => {
        const place = layout.entryOf.get(agent);
        return agent !== key && place !== undefined && entries[place]?.isFolded !== false;
      });
      if (hiding.length > 0) fold(hiding, false);
    },
    [layout, entries, fold],
  );
  const { list, at, goTo } = useListFocus(scroller, {
    name: 'entries',
    count: entries.length,
    keyAt: (place) => entries[place]?.id,
    indexOf: (id) => indexOf(layout, id),
    selected: useOnceKnown(trace, selected),
    selectionOf: spanOf,
    reveal,
    show: (place, hasFocus) => show(place, hasFocus),
    onOpen: (id) => onSelect(spanOf(id)),
    tree: {
      isOpen: (place) => {
        const entry = entries[place];
        if (entry === undefined) return undefined;
        return isCard(entry) ? !entry.isFolded : opened.has(entry.id);
      },
      fold: (place, isFolded) => {
        const entry = entries[place];
        if (entry !== undefined) onFold(entry, isFolded);
      },
      parentOf: (place) => layout.entryOf.get(layout.agentOf.get(entries[place]?.key ?? '') ?? ''),
    },
  });
  const { virtualizer, newBelow, follow, show } = useEntryScrolling(
    scroller,
    entries,
    isLive,
    selected === undefined ? isRunning : false,
    at,
  );
  const items = virtualizer.getVirtualItems();
  const { startIndex = 0, endIndex = -1 } = virtualizer.range ?? {};
  useWants(trace, all, layout, startIndex, endIndex - startIndex + 1, find !== '');
  const onPick = useCallback(
    (id: string) => {
      // A click opens the panel once it is there to be looked at beside.
      if (router.route.get().query.has('span')) onSelect(spanOf(id));
    },
    [router, onSelect],
  );
  const current = entries[at];
  const step = useCallback(
    (by: number) => {
      const place = current === undefined ? -1 : found.indexOf(current.key);
      const key = found[(Math.max(place, by > 0 ? -1 : 0) + by + found.length) % found.length];
      if (key !== undefined) goTo(key, false);
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
      { name: TRANSCRIPT_TEXT.openEntry, keys: ['o'], run: () => key && onSelect(key) },
      { name: TRANSCRIPT_TEXT.copyEntry, keys: ['c'], run: copy },
      { name: SPAN_TEXT.rawOrFormatted, keys: ['r'], run: () => setRaw(!isRaw) },
      { name: TRANSCRIPT_TEXT.allSpansAction, run: () => setWhole(!isWhole) },
    ];
  }, [onSelect, current, copy, isRaw, isWhole]);
  useActions('Transcript', actions);

  const setFind = useCallback((text: string) => router.adjust({ find: text }), [router]);
  const matches = foundIn.size;
  return (
    <section className="ins-transcript" aria-label={TRANSCRIPT_TEXT.transcript}>
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
      {actor === undefined && <Outcome trace={trace} layout={layout} onGoTo={goTo} />}
      {problem !== undefined && (
        <p className="ins-transcript__problem" role="alert">
          {problem}
        </p>
      )}
      <div className="ins-transcript__main">
        <Outline trace={trace} layout={layout} first={startIndex} onGoTo={goTo} />
        <div
          ref={setScroller}
          className="ins-transcript__scroller"
          role="feed"
          aria-label={TRANSCRIPT_TEXT.entries}
          aria-busy={entries.length === 0 && trace.state.get().kind === 'loading'}
          {...list}
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
      </div>
      {newBelow > 0 && <NewPill count={newBelow} direction="down" onClick={follow} />}
    </section>
  );
}

const NONE: readonly string[] = [];

/** Key of the span of an entry. */
function spanOf(id: string): string {
  return id.replace(/:end$/, '');
}

function isCard({ isCard, type }: Entry): boolean {
  return isCard && type === 'agent';
}

/** The selected span, once there is such a span. */
function useOnceKnown(trace: Trace, selected: string | undefined): string | undefined {
  return useRow(trace.spans, selected ?? '') === undefined ? undefined : selected;
}

/** Index of an entry by its id, or by a span that it shows. */
function indexOf({ entries, entryOf }: TranscriptLayout, id: string): number | undefined {
  const key = spanOf(id);
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
  // Whatever instant is shown, all of a span is read, once: it is not read anew for each.
  const { spans, momentCounts } = trace.whole;
  const version = useVersion(spans);
  const countsVersion = useVersion(momentCounts);
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
      // One that failed does not repeat what stands where it failed first.
      else for (const key of failedBefore(layout, entry.key)) add(key);
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
      for (const row of spans.values()) {
        if (left === 0) break;
        if (row.duplicate_of !== null || isPlain(row.kind)) continue;
        left -= 1;
        keys.add(spanKey(row));
      }
    }
    const wanted: Wanted[] = [];
    for (const key of keys) {
      const row = spans.get(key);
      if (row === undefined) continue;
      wanted.push({
        key,
        row,
        before: layout.before.get(key),
        momentCount: momentCounts.get(key) ?? 0,
      });
    }
    readings.want(wanted);
  }, [spans, momentCounts, readings, layout, first, count, isFinding, version, countsVersion]);
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
  const cause = status === 'failed' && errors > 0 ? trace.firstCause() : undefined;
  if (cause !== undefined) {
    const agent = trace.spans.get(layout.agentOf.get(spanKey(cause)) ?? '');
    return (
      <p className="ins-transcript__outcome">
        <StatusIcon shape="failed" />
        <span>
          {TRANSCRIPT_TEXT.rootCause} <strong>{plainName(cause.name)}</strong> {PARTS_TEXT.failed}
          {agent !== undefined &&
            cause.kind !== 'agent' &&
            ` ${TRANSCRIPT_TEXT.inAgent(plainName(agent.name))}`}
          {errors > 1 && ` (${TRANSCRIPT_TEXT.oneOfErrors(errors)})`}.
        </span>
        <button type="button" className="ins-link" onClick={() => onGoTo(spanKey(cause))}>
          {TRANSCRIPT_TEXT.show}
        </button>
      </p>
    );
  }
  if (status !== 'cancelled' && status !== 'lost') return null;
  return (
    <p className="ins-transcript__outcome ins-transcript__outcome--quiet">
      <StatusIcon shape={status} />
      {status === 'cancelled' ? TRANSCRIPT_TEXT.wasCancelled : TRANSCRIPT_TEXT.lostContact}
    </p>
  );
});

function Nothing({ trace }: { readonly trace: Trace }) {
  const state = useCell(trace.state);
  if (state.kind === 'ready') return <p className="ins-transcript__none">{PARTS_TEXT.noSpans}</p>;
  return (
    <div className="ins-transcript__loading" role="status">
      <span className="ins-hidden">{PARTS_TEXT.loading}</span>
      {[30, 72, 64, 40, 80, 55].map((width) => (
        <span key={width} style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}
