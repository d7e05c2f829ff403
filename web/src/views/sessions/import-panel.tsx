/** Panel of imports: progress and outcome of each file, with its line counts. */
import { Fragment } from 'react';
import type { ImportReport } from '../../api/types.ts';
import { formatBytes, plural, quoted } from '../../model/text/format.ts';
import { plainLine } from '../../model/text/hidden-characters.ts';
import type { ImportJob } from '../../state/imports.ts';
import { sessionPath } from '../../state/route.ts';
import { andMore, IMPORT_TEXT, PARTS_TEXT, SHELL_TEXT } from '../../texts.ts';
import { useCell, useInspector } from '../parts/context.ts';
import { ActionIcon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import './import-panel.css';

const MOST_SHOWN = 100;
/** Limit of the sessions of a file that are linked. */
const MOST_LINKS = 10;

export function ImportPanel() {
  const { imports } = useInspector();
  const jobs = useCell(imports.jobs);
  if (jobs.length === 0) return null;
  const isBusy = jobs.some(({ state }) => state.kind !== 'done' && state.kind !== 'failed');
  return (
    <section className="ins-imports" aria-label={IMPORT_TEXT.importedFiles}>
      <header>
        <h2>{isBusy ? IMPORT_TEXT.importing : IMPORT_TEXT.imported}</h2>
        {isBusy ? (
          <button type="button" className="ins-imports__button" onClick={() => imports.stop()}>
            {PARTS_TEXT.stop}
          </button>
        ) : (
          <button
            type="button"
            className="ins-icon-button"
            title={SHELL_TEXT.close}
            aria-label={SHELL_TEXT.close}
            onClick={() => imports.clear()}
          >
            <ActionIcon name="close" />
          </button>
        )}
      </header>
      <ul>
        {jobs.slice(-MOST_SHOWN).map((job) => (
          <Job key={job.number} job={job} />
        ))}
      </ul>
    </section>
  );
}

function Job({ job: { name, size_bytes, state } }: { readonly job: ImportJob }) {
  return (
    <li className={`ins-imports__job ins-imports__job--${state.kind}`}>
      <span className="ins-imports__name" title={name}>
        {name}
      </span>
      <span className="ins-imports__size">{size_bytes > 0 && formatBytes(size_bytes)}</span>
      {state.kind === 'queued' && <span className="ins-imports__said">{IMPORT_TEXT.queued}</span>}
      {state.kind === 'sending' && (
        <progress aria-label={IMPORT_TEXT.sending(name)} value={state.sent} />
      )}
      {state.kind === 'reading' && <progress aria-label={IMPORT_TEXT.reading(name)} />}
      {state.kind === 'failed' && (
        <span className="ins-imports__said" role="alert">
          {state.message}
        </span>
      )}
      {state.kind === 'done' && <Report report={state.report} />}
    </li>
  );
}

function Report({ report }: { readonly report: ImportReport }) {
  const { sessions, mistakes, mistake_count } = report;
  return (
    <div className="ins-imports__said" role="status">
      {summaryOf(report)}
      {sessions.slice(0, MOST_LINKS).map((id) => (
        <Fragment key={id}>
          {' '}
          <Link className="ins-imports__link" to={sessionPath(id)}>
            {sessions.length === 1 ? IMPORT_TEXT.open : plainLine(id, 40)}
          </Link>
        </Fragment>
      ))}
      {sessions.length > MOST_LINKS && ` ${IMPORT_TEXT.more(sessions.length - MOST_LINKS)}`}
      {mistake_count > 0 && (
        <details open={mistakes.length <= 5}>
          <summary>{IMPORT_TEXT.errors(mistake_count)}</summary>
          <ul>
            {mistakes.map(({ line, message }) => (
              <li key={`${line} ${message}`}>
                {IMPORT_TEXT.line(line)} {quoted(message)}
              </li>
            ))}
            {mistake_count > mistakes.length && <li>{andMore(mistake_count - mistakes.length)}</li>}
          </ul>
        </details>
      )}
    </div>
  );
}

function summaryOf(report: ImportReport): string {
  const known = report.span_duplicates + report.log_duplicates;
  const parts = [
    report.sessions.length > 0 ? plural(report.sessions.length, 'session') : '',
    report.spans > 0 ? plural(report.spans, 'span') : '',
    report.logs > 0 ? IMPORT_TEXT.logRecords(report.logs) : '',
    known > 0 ? IMPORT_TEXT.known(known) : '',
    report.not_stored > 0 ? IMPORT_TEXT.notStored(report.not_stored) : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? IMPORT_TEXT.nothing : `${parts.join(', ')}.`;
}
