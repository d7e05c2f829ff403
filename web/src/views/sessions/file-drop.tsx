/** Import of files that are dropped anywhere on the page, or picked. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Dropped, ImportJob } from '../../state/imports.ts';
import { sessionPath } from '../../state/route.ts';
import { useActions } from '../parts/actions.ts';
import { useInspector } from '../parts/context.ts';
import { ActionIcon } from '../parts/icons.tsx';
import './file-drop.css';
import { IMPORT_TEXT } from '../../texts.ts';

/** Send files; if one session results, open it. */
function useImport(): (files: readonly Dropped[]) => void {
  const { imports, router } = useInspector();
  return useCallback(
    (files) => {
      void imports.add(files).then((jobs) => {
        const id = onlySession(jobs);
        if (id === undefined || imports.isBusy || router.route.get().page !== 'sessions') return;
        imports.clear();
        router.push(sessionPath(id));
      });
    },
    [imports, router],
  );
}

/** The session to open after an import: the only one of a successful import. */
function onlySession(jobs: readonly ImportJob[]): string | undefined {
  const ids = new Set<string>();
  for (const { state } of jobs) {
    if (state.kind !== 'done' || state.report.mistake_count > 0) return undefined;
    for (const id of state.report.sessions) ids.add(id);
  }
  return ids.size === 1 ? [...ids][0] : undefined;
}

/** Notice, while a file is over the page, of what a drop does. */
export function DropTarget() {
  const take = useImport();
  const { router } = useInspector();
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const onOver = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      // Else the browser leaves the page, and opens the file.
      event.preventDefault();
      if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'copy';
      setOver(true);
    };
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      setOver(false);
      if (!hasFiles(event) || event.dataTransfer === null) return;
      event.preventDefault();
      const dropped = droppedOn(event.dataTransfer);
      // What becomes of it is said in the list.
      if (router.route.get().page !== 'sessions') router.push('');
      take(dropped);
    };
    window.addEventListener('dragover', onOver);
    window.addEventListener('dragleave', onLeave);
    window.addEventListener('drop', onDrop);
    return () => {
      window.removeEventListener('dragover', onOver);
      window.removeEventListener('dragleave', onLeave);
      window.removeEventListener('drop', onDrop);
    };
  }, [take, router]);
  if (!isOver) return null;
  return (
    <div className="ins-drop" aria-hidden="true">
      <p>
        <ActionIcon name="import" />
        {IMPORT_TEXT.dropToImport}
      </p>
      <p>{IMPORT_TEXT.formats}</p>
    </div>
  );
}

/** Button to pick files, for those who use no mouse. */
export function ImportButton({ isLarge = false }: { readonly isLarge?: boolean }) {
  const take = useImport();
  const input = useRef<HTMLInputElement>(null);
  const actions = useMemo(
    () => [{ name: IMPORT_TEXT.action, run: () => input.current?.click() }],
    [],
  );
  useActions('Session list', actions);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={IMPORT_TEXT.filesToImport}
        onChange={(event) => {
          take([...(event.target.files ?? [])]);
          // The same file can be picked again.
          event.target.value = '';
        }}
      />
      <button
        type="button"
        className={`ins-import${isLarge ? ' ins-import--large' : ''}`}
        title={IMPORT_TEXT.importTitle}
        onClick={() => input.current?.click()}
      >
        <ActionIcon name="import" />
        <span>{IMPORT_TEXT.importFiles}</span>
      </button>
    </>
  );
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false;
}

function droppedOn(transfer: DataTransfer): readonly Dropped[] {
  return [...transfer.items].flatMap((item): Dropped[] => {
    if (item.kind !== 'file') return [];
    const entry = item.webkitGetAsEntry();
    if (entry?.isDirectory) return [{ folder: entry.name }];
    const file = item.getAsFile();
    return file === null ? [] : [file];
  });
}
