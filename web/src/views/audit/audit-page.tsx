/** `/ui/audit`: who did what, newest first. Entries never change. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { AuditEntry, AuditFilter, Unsearched } from '../../api/types.ts';
import { auditAction, withOutcomes } from '../../model/requests/audit.ts';
import { quoted } from '../../model/text/format.ts';
import { plainLine } from '../../model/text/hidden-characters.ts';
import { sessionPath } from '../../state/route.ts';
import { failed, type LoadState } from '../../state/sessions.ts';
import { AUDIT_TEXT, SHELL_TEXT } from '../../texts.ts';
import { useActions } from '../parts/actions.ts';
import { useCell, useInspector, useRoute, useTitle } from '../parts/context.ts';
import { Link } from '../parts/link.tsx';
import { rowsOf, useListFocus } from '../parts/list-focus.ts';
import { SearchField } from '../parts/search-field.tsx';
import { When } from '../parts/times.tsx';
import { UnsearchedLine } from '../parts/unsearched.tsx';
import { YourName } from '../parts/your-name.tsx';
import './audit-page.css';

const PAGE_SIZE = 100;

export function AuditPage() {
  const { api } = useInspector();
  const filter = useFilter();
  const { entries: all, state, unsearched, hasMore, more, again } = useEntries(filter);
  const entries = useMemo(
    () => (filter.result === 'accepted' ? all : withOutcomes(all)),
    [all, filter.result],
  );
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const { list, at } = useListFocus(scroller, {
    name: 'audit',
    ...rowsOf(useMemo(() => entries.map(({ id }) => String(id)), [entries])),
  });
  useTitle(AUDIT_TEXT.title);
  return (
    <main className="ins-audit">
      <header className="ins-audit__head">
        <h1>{AUDIT_TEXT.title}</h1>
        <YourName />
        <a className="ins-link" href={api.auditExportUrl()} download="audit.jsonl">
          {AUDIT_TEXT.export}
        </a>
      </header>
      <Filters filter={filter} />
      {state.kind === 'failed' && (
        <p className="ins-audit__problem" role="alert">
          {state.message}{' '}
          <button type="button" className="ins-link" onClick={more}>
            {SHELL_TEXT.retry}
          </button>
        </p>
      )}
      <UnsearchedLine parts={unsearched} onAgain={again} />
      <section
        ref={setScroller}
        className="ins-audit__scroller"
        aria-label={AUDIT_TEXT.title}
        {...list}
      >
        {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its rows have the focus */}
        <table role="grid" aria-label={AUDIT_TEXT.title}>
          <thead>
            <tr>
              {AUDIT_TEXT.columns.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {entries.map((entry, place) => (
              <Row key={entry.id} entry={entry} isCurrent={place === at} />
            ))}
          </tbody>
        </table>
        {state.kind === 'loading' && <p role="status">{AUDIT_TEXT.loading}</p>}
        {entries.length === 0 && state.kind === 'ready' && unsearched.length === 0 && (
          <None filter={filter} />
        )}
        {hasMore && state.kind !== 'loading' && (
          <button type="button" className="ins-link ins-audit__more" onClick={more}>
            {AUDIT_TEXT.more}
          </button>
        )}
      </section>
    </main>
  );
}

/** The filter in the address. */
function useFilter(): AuditFilter {
  const { query } = useRoute();
  const [q, via, outcome] = [query.get('q'), query.get('via'), query.get('outcome')];
  const isAll = query.get('all') !== null;
  return useMemo(() => {
    const origin = ORIGINS.find((one) => one === via);
    const result = RESULTS.find((one) => one === outcome);
    return {
      // Who chooses agents wants to see what they did.
      by: isAll || origin === 'agent' || origin === 'service' ? 'all' : 'people',
      ...(q === null || q.trim() === '' ? {} : { q: q.trim() }),
      ...(origin === undefined ? {} : { origin }),
      ...(result === undefined ? {} : { result }),
    };
  }, [q, via, outcome, isAll]);
}

const ORIGINS = ['browser', 'cli', 'api', 'mcp', 'agent', 'service'] as const;
const RESULTS = ['accepted', 'applied', 'not_applied', 'refused'] as const;

function Filters({ filter }: { readonly filter: AuditFilter }) {
  const { router } = useInspector();
  const field = useRef<HTMLInputElement>(null);
  const actions = useMemo(
    () => [{ name: AUDIT_TEXT.search, keys: ['/'], run: () => field.current?.focus() }],
    [],
  );
  useActions(AUDIT_TEXT.title, actions);
  return (
    <search className="ins-audit__filters">
      <SearchField
        ref={field}
        value={useRoute().query.get('q') ?? ''}
        label={AUDIT_TEXT.search}
        placeholder={AUDIT_TEXT.searchPlaceholder}
        onChange={(q) => router.adjust({ q })}
      />
      <Choice
        name="via"
        label={AUDIT_TEXT.via}
        any={AUDIT_TEXT.anyVia}
        value={filter.origin}
        names={AUDIT_TEXT.origins}
      />
      <Choice
        name="outcome"
        label={AUDIT_TEXT.outcome}
        any={AUDIT_TEXT.anyOutcome}
        value={filter.result}
        names={AUDIT_TEXT.results}
      />
      <label title={AUDIT_TEXT.allTitle}>
        <input
          type="checkbox"
          checked={filter.by === 'all'}
          disabled={filter.origin === 'agent' || filter.origin === 'service'}
          onChange={(event) => router.adjust({ all: event.target.checked ? '1' : undefined })}
        />
        {AUDIT_TEXT.all}
      </label>
    </search>
  );
}

interface ChoiceProps {
  /** Its parameter in the address. */
  readonly name: string;
  readonly label: string;
  readonly any: string;
  readonly value: string | undefined;
  readonly names: Readonly<Record<string, string>>;
}

function Choice({ name, label, any, value, names }: ChoiceProps) {
  const { router } = useInspector();
  return (
    <select
      aria-label={label}
      value={value ?? ''}
      onChange={(event) => router.adjust({ [name]: event.target.value })}
    >
      <option value="">{any}</option>
      {Object.entries(names).map(([key, text]) => (
        <option key={key} value={key}>
          {text}
        </option>
      ))}
    </select>
  );
}

function None({ filter }: { readonly filter: AuditFilter }) {
  const isFiltered = Object.keys(filter).length > 1;
  return (
    <p className="ins-audit__none">
      {isFiltered ? AUDIT_TEXT.noMatch : AUDIT_TEXT.none}
      {isFiltered && (
        <Link className="ins-link" to="audit">
          {AUDIT_TEXT.reset}
        </Link>
      )}
    </p>
  );
}

interface RowProps {
  readonly entry: AuditEntry;
  /** Whether the row has the focus, or would take it. */
  readonly isCurrent: boolean;
}

function Row({ entry, isCurrent }: RowProps) {
  const { session_id, detail, code, request_id } = entry;
  const question = plainLine(entry.question ?? '', 300);
  // A refusal is worded by the service, all else as it was typed.
  const text = code === null ? detail : quoted(detail ?? code);
  return (
    <tr data-row={entry.id} data-focus="" tabIndex={isCurrent ? 0 : -1}>
      <td>
        <When at={entry.at} />
      </td>
      <td title={entry.address ?? undefined}>{plainLine(entry.actor, 80)}</td>
      <td>{AUDIT_TEXT.origins[entry.origin]}</td>
      <td className="ins-audit__action">{auditAction(entry)}</td>
      <td className="ins-audit__of" title={question || (request_id ?? undefined)}>
        {entry.tool_name === null ? (
          question.slice(0, 120)
        ) : (
          <code dir="ltr">{plainLine(entry.tool_name, 80)}</code>
        )}
      </td>
      <td className="ins-audit__of">
        {session_id !== null && (
          <Link className="ins-link" to={sessionPath(session_id)} title={plainLine(session_id)}>
            {plainLine(entry.session_title ?? '', 80) || plainLine(session_id, 40)}
          </Link>
        )}
      </td>
      <td>
        <span className={`ins-audit__result ins-audit__result--${entry.result}`}>
          {AUDIT_TEXT.results[entry.result]}
        </span>
        {text !== null && <span className="ins-audit__detail"> {plainLine(text, 300)}</span>}
      </td>
    </tr>
  );
}

const TYPING_MS = 150;

function useEntries(filter: AuditFilter) {
  const { api, feed } = useInspector();
  const [entries, setEntries] = useState<readonly AuditEntry[]>([]);
  const [state, setState] = useState<LoadState>({ kind: 'loading' });
  const [unsearched, setUnsearched] = useState<readonly Unsearched[]>([]);
  const [cursor, setCursor] = useState<string | undefined>(undefined);
  const reading = useRef(new AbortController());
  const read = useCallback(
    async (from: string | undefined) => {
      reading.current.abort();
      reading.current = new AbortController();
      const { signal } = reading.current;
      if (from === undefined) setCursor(undefined);
      setState({ kind: 'loading' });
      try {
        let found: readonly AuditEntry[] = [];
        let next = from;
        let missing: readonly Unsearched[] | undefined;
        // A page may be short where few entries match.
        do {
          const place = next === undefined ? {} : { cursor: next };
          const page = await api.audit({ ...filter, limit: PAGE_SIZE, ...place }, signal);
          found = [...found, ...page.entries];
          if (page.partial !== undefined && page.partial.length > 0) missing = page.partial;
          next = page.next_cursor ?? undefined;
        } while (next !== undefined && found.length < PAGE_SIZE);
        setEntries((known) => (from === undefined ? found : [...known, ...found]));
        setCursor(next);
        // What an earlier page left out is still missing after a whole one.
        setUnsearched((known) => missing ?? (from === undefined ? [] : known));
        setState({ kind: 'ready' });
      } catch (error) {
        if (!signal.aborted) setState(failed(error));
      }
    },
    [api, filter],
  );
  useEffect(() => {
    const timer = setTimeout(() => void read(undefined), filter.q === undefined ? 0 : TYPING_MS);
    return () => {
      clearTimeout(timer);
      reading.current.abort();
    };
  }, [read, filter]);
  const more = useCallback(() => void read(cursor), [read, cursor]);
  const again = useCallback(() => void read(undefined), [read]);
  const connection = useCell(feed.status).kind;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the service is back
  useEffect(() => {
    if (connection === 'live' && state.kind === 'failed') more();
  }, [connection]);
  return { entries, state, unsearched, hasMore: cursor !== undefined, more, again };
}
