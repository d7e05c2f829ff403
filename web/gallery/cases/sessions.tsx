import { useEffect, useState } from 'react';
import type { ImportReport } from '../../src/api/types.ts';
import type { ImportState } from '../../src/state/imports.ts';
import { Selection } from '../../src/state/selection.ts';
import { useInspector } from '../../src/views/parts/context.ts';
import { BulkBar } from '../../src/views/sessions/bulk-bar.tsx';
import { EmptySessions } from '../../src/views/sessions/empty-sessions.tsx';
import { ImportPanel } from '../../src/views/sessions/import-panel.tsx';
import { SessionList } from '../../src/views/sessions/session-list.tsx';
import type { GalleryCase } from '../case.ts';
import { Stage } from '../stage.tsx';

/** The list with several sessions selected. */
function Bulk() {
  const { sessions } = useInspector();
  const [selection] = useState(() => new Selection());
  useEffect(() => selection.add(['failed', 'lost', 'completed']), [selection]);
  return <BulkBar sessions={sessions} selection={selection} />;
}

const REPORT: ImportReport = {
  sessions: ['before'],
  spans: 41_234,
  span_duplicates: 12,
  logs: 80,
  log_duplicates: 0,
  not_stored: 3,
  rejected: 2,
  mistake_count: 2,
  mistakes: [
    { line: 7, message: 'This is no JSON: a value is missing after the colon at character 1 204.' },
    { line: 9112, message: 'A span has no id.' },
  ],
};

const JOBS: readonly ImportState[] = [
  { kind: 'done', report: REPORT },
  { kind: 'failed', message: 'It is larger than 500 MB: use `inspector import`.' },
  { kind: 'reading' },
  { kind: 'sending', sent: 0.4 },
  { kind: 'queued' },
];

function Imported({ jobs }: { readonly jobs: readonly ImportState[] }) {
  const { imports } = useInspector();
  useEffect(() => {
    const name = 'a-file-with-a-name-that-is-longer-than-the-panel-has-room-for';
    imports.jobs.set(
      jobs.map((state, number) => ({
        number,
        name: `${name}-${number}.jsonl`,
        size_bytes: 4e6,
        state,
      })),
    );
  }, [imports, jobs]);
  return <ImportPanel />;
}

function List() {
  return <SessionList sessions={useInspector().sessions} />;
}

export const cases: readonly GalleryCase[] = [
  { name: 'session list', height: 320, Shown: List },
  { name: 'no session', height: 520, Shown: EmptySessions },
  { name: 'bulk bar', isPadded: true, Shown: Bulk },
  ...[JOBS, JOBS.slice(0, 2)].map((jobs, at) => ({
    name: at === 0 ? 'import, under way' : 'import, over',
    height: 360,
    Shown: () => (
      <Stage>
        <Imported jobs={jobs} />
      </Stage>
    ),
  })),
];
