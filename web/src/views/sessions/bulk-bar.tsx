/** Actions on the selected sessions: export, delete. Deleting asks for confirmation, in place. */
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import type { SessionStatus } from '../../api/types.ts';
import { formatBytes, plural } from '../../model/text/format.ts';
import { allFound, Bulk, MOST_FOUND, type Progress } from '../../state/bulk.ts';
import { compareAllPath, MOST_COMPARED } from '../../state/route.ts';
import type { Selection } from '../../state/selection.ts';
import type { Sessions } from '../../state/sessions.ts';
import {
  andMore,
  BULK_TEXT,
  compareSelected,
  deleteQuestion,
  PARTS_TEXT,
  SESSION_LIST_TEXT,
} from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { useCell, useInspector, useVersion } from '../parts/context.ts';
import { focusBack } from '../parts/focus-back.ts';
import { ActionIcon } from '../parts/icons.tsx';
import { AlertQuestion } from '../parts/popups/popup-button.tsx';
import './bulk-bar.css';

type Verb = 'export' | 'delete';

interface Running {
  readonly verb: Verb;
  readonly bulk: Bulk;
  /** Result, once the action has ended. */
  readonly outcome?: string;
}

interface BulkBarProps {
  readonly sessions: Sessions;
  readonly selection: Selection;
}

export function BulkBar({ sessions, selection }: BulkBarProps) {
  const { api, clock, router } = useInspector();
  const selected = useCell(selection.ids);
  const [isDeleting, setDeleting] = useState(false);
  const [running, setRunning] = useState<Running>();
  const [looking, setLooking] = useState<AbortController>();
  const [note, setNote] = useState('');
  const count = selected.size;
  const read = useCell(sessions.order).length;
  const total = useCell(sessions.total);
  const all = sessions.hasMore ? (total?.isLeast === false ? total.count : undefined) : read;
  const canCompare = count >= 2 && count <= MOST_COMPARED;
  const deleting = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (count === 0) setDeleting(false);
  }, [count]);

  const begin = async (verb: Verb, work: (bulk: Bulk) => Promise<string>) => {
    const bulk = new Bulk(selected);
    setDeleting(false);
    setNote('');
    setRunning({ verb, bulk });
    const outcome = await work(bulk);
    setRunning((now) => (now?.bulk === bulk ? { ...now, outcome } : now));
    refocus();
  };
  const exportAll = () =>
    begin('export', async (bulk) => {
      const files = new Map<string, Blob>();
      await bulk.run(async (id, signal) => {
        files.set(id, await api.exportSession(id, signal));
      });
      if (bulk.progress.get().isStopped) return BULK_TEXT.exportStopped;
      if (files.size === 0) return BULK_TEXT.nothingExported;
      const parts = [...selected].flatMap((id) => files.get(id) ?? []);
      const file = new Blob(parts, { type: 'application/gzip' });
      const name = fileName(clock.now_ms(), parts.length);
      save(file, name);
      return BULK_TEXT.exported(parts.length, name, formatBytes(file.size));
    });
  const deleteAll = (withOpen: boolean) =>
    begin('delete', async (bulk) => {
      await bulk.run(async (id) => {
        // What it is now: it may have begun to run again since it was selected.
        const { status } = sessions.rows.get(id) ?? (await api.session(id));
        if (!withOpen && isOpen(status)) throw new Error(BULK_TEXT.leftOpen(status));
        await api.deleteSession(id);
        selection.remove([id]);
      });
      const { done, isStopped } = bulk.progress.get();
      return BULK_TEXT.deleted(done, isStopped);
    });
  const selectAll = async () => {
    const abort = new AbortController();
    setLooking(abort);
    setNote('');
    try {
      const onPage = (ids: readonly string[]) => selection.add(ids);
      const isAll = await allFound(api, sessions.listing, clock.now_ms(), onPage, abort.signal);
      if (!isAll) setNote(BULK_TEXT.onlyFirst(MOST_FOUND));
    } catch (error) {
      if (!abort.signal.aborted) setNote(error instanceof Error ? error.message : String(error));
    }
    setLooking(undefined);
  };
  const compare = () => router.push(compareAllPath(sessions.oldestFirst(selected)));
  // biome-ignore lint/correctness/useExhaustiveDependencies: they act on what is selected then
  const actions = useMemo(
    () =>
      count === 0
        ? []
        : [
            ...(canCompare ? [{ name: compareSelected(count), run: compare }] : []),
            { name: BULK_TEXT.exportSelected, run: exportAll },
            { name: BULK_TEXT.deleteSelected, run: () => setDeleting(true) },
          ],
    [selected],
  );
  useActions('Session list', actions);

  const run = running !== undefined && (
    <Run
      running={running}
      onClose={() => {
        setRunning(undefined);
        refocus();
      }}
    />
  );
  // One action at a time: the next can begin when this one has ended.
  if (count === 0 || (running !== undefined && running.outcome === undefined)) return run || null;
  return (
    <>
      {run}
      <section className="ins-bulk" aria-label={BULK_TEXT.selectedSessions}>
        <span role="status">
          {BULK_TEXT.selected(count, looking !== undefined)}
          {note !== '' && `. ${note}`}
        </span>
        {looking === undefined ? (
          <BarButton onClick={() => void selectAll()}>{BULK_TEXT.selectAll(all)}</BarButton>
        ) : (
          <BarButton onClick={() => looking.abort()}>{PARTS_TEXT.stop}</BarButton>
        )}
        <span className="ins-bulk__gap" />
        {canCompare && <BarButton onClick={compare}>{SESSION_LIST_TEXT.compare}</BarButton>}
        <BarButton onClick={() => void exportAll()}>{BULK_TEXT.export}</BarButton>
        <BarButton ref={deleting} onClick={() => setDeleting(true)}>
          <ActionIcon name="trash" /> {BULK_TEXT.delete}
        </BarButton>
        <BarButton onClick={() => selection.clear()} label={BULK_TEXT.selectNone}>
          <ActionIcon name="close" />
        </BarButton>
        {isDeleting && (
          <Deleting
            ids={selected}
            sessions={sessions}
            back={deleting}
            onDelete={deleteAll}
            onKeep={() => setDeleting(false)}
          />
        )}
      </section>
    </>
  );
}

interface DeletingProps {
  readonly ids: ReadonlySet<string>;
  readonly sessions: Sessions;
  readonly back: RefObject<HTMLButtonElement | null>;
  readonly onDelete: (withOpen: boolean) => void;
  readonly onKeep: () => void;
}

/**
 * Confirmation of a deletion; it lists running and waiting sessions separately, because their
 * agents go on.
 */
function Deleting({ ids, sessions, back, onDelete, onKeep }: DeletingProps) {
  useVersion(sessions.rows);
  const [withOpen, setWithOpen] = useState(false);
  const known = [...ids].flatMap((id) => sessions.rows.get(id) ?? []);
  const open = known.filter(({ status }) => isOpen(status));
  const waiting = open.filter(({ status }) => status === 'waiting').length;
  const count = ids.size - (withOpen ? 0 : open.length);
  const what = plural(count, 'session');
  return (
    <AlertQuestion
      title={deleteQuestion(what)}
      confirm={BULK_TEXT.confirm(what)}
      keep={SESSION_LIST_TEXT.keep}
      of={`${count} ${withOpen}`}
      isDisabled={count === 0}
      back={back}
      onConfirm={() => onDelete(withOpen)}
      onClose={onKeep}
    >
      {open.length > 0 && (
        <label>
          <input
            type="checkbox"
            checked={withOpen}
            onChange={(event) => setWithOpen(event.target.checked)}
          />
          <span>{BULK_TEXT.withOpen(open.length, waiting)}</span>
        </label>
      )}
      {known.length < ids.size && (
        <span>{BULK_TEXT.notLoaded(ids.size - known.length, withOpen)}</span>
      )}
    </AlertQuestion>
  );
}

/** Focus the list, if the button that had the focus is gone. */
function refocus(): void {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) focusBack(undefined);
  });
}

const MOST_FAILURES = 50;

function Run({ running, onClose }: { readonly running: Running; readonly onClose: () => void }) {
  const progress = useCell<Progress>(running.bulk.progress);
  const { total, done, failures } = progress;
  const isOver = running.outcome !== undefined;
  const doing = running.verb === 'export' ? BULK_TEXT.exporting : BULK_TEXT.deleting;
  return (
    <section className="ins-bulk ins-bulk--run" aria-label={BULK_TEXT.doing(doing)}>
      <div className="ins-bulk__line">
        <span role="status">{running.outcome ?? BULK_TEXT.doneOf(doing, done, total)}</span>
        {!isOver && (
          <progress
            max={total}
            value={done + failures.length}
            aria-label={BULK_TEXT.doing(doing)}
          />
        )}
        <span className="ins-bulk__gap" />
        {isOver ? (
          <BarButton onClick={onClose} label={PARTS_TEXT.close}>
            <ActionIcon name="close" />
          </BarButton>
        ) : (
          <BarButton onClick={() => running.bulk.stop()}>{PARTS_TEXT.stop}</BarButton>
        )}
      </div>
      {failures.length > 0 && (
        <details open={isOver}>
          <summary>{BULK_TEXT.skipped(failures.length)}</summary>
          <ul>
            {failures.slice(0, MOST_FAILURES).map(({ id, message }) => (
              <li key={id}>
                <code>{id}</code> {message}
              </li>
            ))}
            {failures.length > MOST_FAILURES && <li>{andMore(failures.length - MOST_FAILURES)}</li>}
          </ul>
        </details>
      )}
    </section>
  );
}

interface BarButtonProps {
  readonly ref?: RefObject<HTMLButtonElement | null>;
  readonly onClick: () => void;
  readonly label?: string;
  readonly children: ReactNode;
}

function BarButton({ ref, onClick, label, children }: BarButtonProps) {
  return (
    <button
      ref={ref}
      type="button"
      className="ins-bulk__button"
      onClick={onClick}
      aria-label={label}
      title={label}
    >
      {children}
    </button>
  );
}

function isOpen(status: SessionStatus): boolean {
  return status === 'waiting' || status === 'paused' || status === 'running';
}

/** Name of the exported file, in UTC: `sessions-2026-11-22-1405-12.otlp.jsonl.gz`. */
function fileName(now_ms: number, count: number): string {
  const stamp = new Date(now_ms).toISOString().slice(0, 16).replace('T', '-').replace(':', '');
  return `${count === 1 ? 'session' : 'sessions'}-${stamp}-${count}.otlp.jsonl.gz`;
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
