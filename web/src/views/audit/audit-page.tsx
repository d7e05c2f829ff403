/** `/ui/audit`: who did what, newest first. Entries never change. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { AuditEntry } from '../../api/types.ts';
import { formatStart } from '../../model/text/format.ts';
import { plainLine } from '../../model/text/hidden-characters.ts';
import { sessionPath } from '../../state/route.ts';
import { failed, type LoadState } from '../../state/sessions.ts';
import { useInspector, useTitle } from '../parts/context.ts';
import { Link } from '../parts/link.tsx';
import { YourName } from '../parts/your-name.tsx';
import './audit-page.css';

const PAGE_SIZE = 100;

export function AuditPage() {
  const { api } = useInspector();
  const { entries, state, hasMore, more } = useEntries();
  useTitle('Audit log');
  return (
    <main className="ins-audit">
      <header className="ins-audit__head">
        <h1>Audit log</h1>
        <YourName />
        <a className="ins-link" href={api.auditExportUrl()} download="audit.jsonl">
          Export as JSON lines
        </a>
      </header>
      {state.kind === 'failed' && (
        <p className="ins-audit__problem" role="alert">
          {state.message}
        </p>
      )}
      <div className="ins-audit__scroller">
        <table>
          <thead>
            <tr>
              <th>Time</th>
              <th>Who</th>
              <th>Way</th>
              <th>Action</th>
              <th>Of</th>
              <th>Result</th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <Row key={entry.id} entry={entry} />
            ))}
          </tbody>
        </table>
        {entries.length === 0 && state.kind === 'ready' && (
          <p className="ins-audit__none">Nobody has done anything yet.</p>
        )}
        {hasMore && (
          <button type="button" className="ins-link ins-audit__more" onClick={more}>
            Show older
          </button>
        )}
      </div>
    </main>
  );
}

function Row({ entry }: { readonly entry: AuditEntry }) {
  const { session_id, request_id, process_id, detail, code, decision } = entry;
  return (
    <tr>
      <td>
        <time dateTime={entry.at} title={entry.at}>
          {formatStart(entry.at, Date.now())}
        </time>
      </td>
      <td title={entry.address ?? undefined}>{plainLine(entry.actor, 80)}</td>
      <td>{entry.origin}</td>
      <td>
        {plainLine(entry.action.replace(/_/g, ' '), 60)}
        {decision !== null && <strong> {plainLine(decision, 40)}</strong>}
      </td>
      <td className="ins-audit__of">
        {session_id !== null && (
          <Link className="ins-link" to={sessionPath(session_id)}>
            {plainLine(session_id, 40)}
          </Link>
        )}
        <span className="ins-audit__detail"> {plainLine(request_id ?? process_id ?? '', 40)}</span>
      </td>
      <td>
        <span className={`ins-audit__result ins-audit__result--${entry.result}`}>
          {entry.result.replace('_', ' ')}
        </span>
        {(detail ?? code) !== null && (
          <span className="ins-audit__detail"> {plainLine(detail ?? code ?? '', 300)}</span>
        )}
      </td>
    </tr>
  );
}

function useEntries() {
  const { api } = useInspector();
  const [entries, setEntries] = useState<readonly AuditEntry[]>([]);
  const [state, setState] = useState<LoadState>({ kind: 'loading' });
  const [cursor, setCursor] = useState<string | undefined>(undefined);
  const isBusy = useRef(false);
  const read = useCallback(
    async (from: string | undefined, signal?: AbortSignal) => {
      if (isBusy.current) return;
      isBusy.current = true;
      try {
        const wanted = { limit: PAGE_SIZE, ...(from === undefined ? {} : { cursor: from }) };
        const page = await api.audit(wanted, signal);
        setEntries((known) => (from === undefined ? page.entries : [...known, ...page.entries]));
        setCursor(page.next_cursor ?? undefined);
        setState({ kind: 'ready' });
      } catch (error) {
        if (signal?.aborted !== true) setState(failed(error));
      } finally {
        isBusy.current = false;
      }
    },
    [api],
  );
  useEffect(() => {
    const reading = new AbortController();
    isBusy.current = false;
    void read(undefined, reading.signal);
    return () => reading.abort();
  }, [read]);
  const more = useCallback(() => void read(cursor), [read, cursor]);
  return { entries, state, hasMore: cursor !== undefined, more };
}
