/** Client of the service's HTTP routes (`openapi.yaml`). */
import { quoted } from '../model/text/format.ts';
import { API_TEXT } from '../texts.ts';
import type {
  AlignedSteps,
  Answer,
  AnswerResult,
  AuditFilter,
  AuditLog,
  CauseList,
  Change,
  Comparison,
  Health,
  ImportReport,
  LastGoodSession,
  Listeners,
  McpFrame,
  McpLog,
  Problem,
  QueryValues,
  Request,
  RequestList,
  RequestStatus,
  RunTable,
  SearchResult,
  Session,
  SessionContext,
  SessionCount,
  SessionHistogram,
  SessionList,
  SessionSort,
  SessionStatistics,
  SessionUsage,
  SpanColumns,
  SpanRow,
  SpanSkeleton,
  StateStep,
  Transcript,
  UsageKey,
  Verb,
  VerbResult,
} from './types.ts';

/** A response that is not 2xx, with the sentence to show; `status` is 0 if there was none. */
export class ApiError extends Error {
  readonly status: number;
  /** The service's problem details (RFC 9457), if it sent any. */
  readonly problem: Problem | undefined;
  constructor(status: number, message: string, problem?: Problem) {
    super(quoted(message));
    this.status = status;
    this.problem = problem;
  }
}

/** A page of steps; `version`: that of the page before. */
interface RowPage {
  row: number;
  limit: number;
  every?: boolean;
  version?: string | undefined;
}

/** The service as the page uses it; the gallery implements it with fixtures. */
export interface SpanId {
  /** The session that has it; undefined: any. Two services may have spans of one trace. */
  readonly session_id?: string | undefined;
  readonly trace_id: string;
  readonly span_id: string;
}

export interface Api {
  sessions(
    page: {
      q?: string;
      sort?: SessionSort;
      since_ms?: number;
      until_ms?: number;
      cursor?: string;
      limit?: number;
    },
    signal?: AbortSignal,
  ): Promise<SessionList>;
  /** Values of a field, for completion in a query. */
  queryValues(field: string, prefix: string, signal?: AbortSignal): Promise<QueryValues>;
  deleteSession(id: string, signal?: AbortSignal): Promise<void>;
  /** A session as a gzip file; concatenated files are one valid file. */
  exportSession(id: string, signal?: AbortSignal): Promise<Blob>;
  /** `onProgress`: the fraction that is sent, 1 at the end. */
  importFile(
    file: Blob,
    onProgress: (sent: number) => void,
    signal: AbortSignal,
  ): Promise<ImportReport>;
  sessionCount(
    parameters: {
      q?: string | undefined;
      since_ms?: number | undefined;
      until_ms?: number | undefined;
      cursor?: string | undefined;
    },
    signal?: AbortSignal,
  ): Promise<SessionCount>;
  histogram(
    parameters: { q?: string; until_ms?: number; bucket_ms: number; buckets: number },
    signal?: AbortSignal,
  ): Promise<SessionHistogram>;
  usage(
    parameters: { by: UsageKey; q?: string; since_ms?: number; until_ms?: number },
    signal?: AbortSignal,
  ): Promise<SessionUsage>;
  causes(
    parameters: { q?: string; since_ms?: number; until_ms?: number },
    signal?: AbortSignal,
  ): Promise<CauseList>;
  session(id: string, signal?: AbortSignal): Promise<Session>;
  health(): Promise<Health>;
  /** The run to compare a failed session with. */
  lastGoodSession(id: string, signal?: AbortSignal): Promise<LastGoodSession>;
  spans(
    sessionId: string,
    page: { cursor?: string; limit?: number },
    signal?: AbortSignal,
  ): Promise<SpanPage>;
  /** The spans after a page's cursor, page by page as the service reads them. */
  spansAfter(
    sessionId: string,
    page: { cursor: string; limit: number },
    signal?: AbortSignal,
  ): Promise<AsyncIterable<SpanSkeleton>>;
  /**
   * Without `totals`: only what the rows of the session do not have. `at_ns`: as it was at an offset.
   */
  statistics(
    sessionId: string,
    parameters: { totals: boolean; at_ns?: number | undefined },
    signal?: AbortSignal,
  ): Promise<SessionStatistics>;
  /** What each LLM call of a session was sent, by part. */
  contexts(sessionId: string, signal?: AbortSignal): Promise<SessionContext>;
  /** Differences between two sessions; `change` limits them to these kinds. */
  compare(
    parameters: {
      left: string;
      right: string;
      change?: readonly Change[];
      offset?: number;
      limit?: number;
    },
    signal?: AbortSignal,
  ): Promise<Comparison>;
  /** Steps of two sessions as one tree, from a row: those that differ, or every one. */
  compareRows(
    parameters: RowPage & {
      left: string;
      right: string;
      change?: readonly Change[];
      /** `trace.span` whose row is looked for. */
      span?: string | undefined;
    },
    signal?: AbortSignal,
  ): Promise<AlignedSteps>;
  /** Steps of several sessions, each compared with the first one. */
  compareRuns(sessions: readonly string[], page: RowPage, signal?: AbortSignal): Promise<RunTable>;
  search(
    page: { q: string; cursor?: string; limit?: number },
    signal?: AbortSignal,
  ): Promise<SearchResult>;
  /** Clipped content of spans: each `trace.span`, or with the call before it `trace.span~trace.span`. */
  transcript(
    sessionId: string,
    spans: readonly string[],
    signal?: AbortSignal,
  ): Promise<Transcript>;
  /** Clipped content of the last calls of a session; `before`: of those before this `trace.span`. */
  lastCalls(
    sessionId: string,
    before: string | undefined,
    signal?: AbortSignal,
  ): Promise<Transcript>;
  /** MCP log: its pages, then the changes after `since`. */
  mcpLog(
    sessionId: string,
    page: { cursor?: string; since?: number; limit?: number },
    signal?: AbortSignal,
  ): Promise<McpLog>;
  mcpFrame(sessionId: string, key: string, signal?: AbortSignal): Promise<McpFrame>;
  /**
   * The body as text: attributes may hold numbers that JavaScript cannot. With `maxValueBytes` only
   * the beginning of longer values.
   */
  spanText(span: SpanId, signal?: AbortSignal, maxValueBytes?: number): Promise<string>;
  /** One whole value of a span; `pointer` is a JSON Pointer into the answer about the span. */
  spanValue(
    span: SpanId,
    pointer: string,
    reading: { signal: AbortSignal; onProgress: (done_bytes: number) => void },
  ): Promise<string>;
  /** A captured state after one of its changes, by default after the last one on the span. */
  spanState(
    span: SpanId,
    parameters: { name?: string; position?: number },
    signal?: AbortSignal,
  ): Promise<StateStep>;
  requests(
    page: { status?: RequestStatus; session_id?: string; cursor?: string; limit?: number },
    signal?: AbortSignal,
  ): Promise<RequestList>;
  request(id: string, signal?: AbortSignal): Promise<Request>;
  answer(id: string, answer: Answer): Promise<AnswerResult>;
  /** Pause, resume, step or cancel a session. */
  command(sessionId: string, verb: Verb): Promise<VerbResult>;
  /** The processes that take commands for a session. */
  listeners(sessionId: string, signal?: AbortSignal): Promise<Listeners>;
  audit(
    page: AuditFilter & { cursor?: string; limit?: number },
    signal?: AbortSignal,
  ): Promise<AuditLog>;
  /** URL of a session as a file: gzipped OTLP JSON lines. */
  exportUrl(sessionId: string): string;
  /** A session as a web page that needs no service. */
  savedPage(sessionId: string): Promise<Blob>;
  /** URL of the whole audit log as JSON lines. */
  auditExportUrl(): string;
  /** URL of the change feed, from `after`: span rows of these sessions, and a part of the list. */
  eventsUrl(
    after: string,
    want: {
      readonly sessions: readonly string[];
      readonly part: { readonly query: string; readonly rows: readonly string[] } | undefined;
    },
  ): string;
}

/** A page whose rows are still to be read; the next one can already be asked for. */
export interface SpanPage {
  readonly next_cursor: string | undefined;
  readonly read: () => Promise<SpanSkeleton>;
}

/** The id of no session: with it the feed sends no spans, and rows of sessions without delay. */
export const NO_SESSION = '-';

/** `actor`: the name that the reader goes by, sent with what they do; empty for none. */
export function httpApi(
  serviceUrl: string,
  request: typeof fetch,
  actor: () => string = () => '',
): Api {
  const ask = async (path: string, init: RequestInit): Promise<Response> => {
    const response = await request(new URL(path, serviceUrl), init).catch((error: unknown) => {
      if (error instanceof DOMException && error.name === 'AbortError') throw error;
      throw new ApiError(0, API_TEXT.noAnswer);
    });
    if (!response.ok) throw await refusal(response);
    return response;
  };
  const read = (path: string, signal?: AbortSignal): Promise<Response> =>
    ask(path, {
      headers: { accept: 'application/json' },
      ...(signal === undefined ? {} : { signal }),
    });
  const named = (): Record<string, string> => {
    const name = actor();
    return name === '' ? {} : { 'inspector-actor': encodeURIComponent(name) };
  };
  const post = async <T>(path: string, body: unknown): Promise<T> => {
    const response = await ask(path, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...named(),
      },
      body: JSON.stringify(body),
    });
    return (await response.json()) as T;
  };
  const json = async <T>(path: string, signal?: AbortSignal): Promise<T> =>
    (await (await read(path, signal)).json()) as T;

  return {
    sessions: (page, signal) => json(`sessions${query({ ...page })}`, signal),
    queryValues: (field, prefix, signal) => json(`query/values${query({ field, prefix })}`, signal),
    deleteSession: async (id, signal) => {
      await ask(`sessions/${encodeURIComponent(id)}`, {
        method: 'DELETE',
        headers: named(),
        ...(signal === undefined ? {} : { signal }),
      });
    },
    exportSession: async (id, signal) =>
      (await read(`trace/${encodeURIComponent(id)}`, signal)).blob(),
    importFile: async (file, onProgress, signal) => {
      const url = new URL('import', serviceUrl);
      const headers = { ...named(), 'content-type': 'application/octet-stream' };
      const answer = await upload(url, headers, file, onProgress, signal).catch(
        (error: unknown) => {
          if (error instanceof DOMException && error.name === 'AbortError') throw error;
          throw new ApiError(0, API_TEXT.noAnswer);
        },
      );
      const response = new Response(answer.text, { status: answer.status || 500 });
      if (!response.ok) throw await refusal(response);
      return (await response.json()) as ImportReport;
    },
    sessionCount: (parameters, signal) => json(`sessions/count${query({ ...parameters })}`, signal),
    histogram: (parameters, signal) =>
      json(`sessions/histogram${query({ ...parameters })}`, signal),
    usage: (parameters, signal) => json(`sessions/usage${query({ ...parameters })}`, signal),
    causes: (parameters, signal) => json(`causes${query({ ...parameters })}`, signal),
    health: () => json('health'),
    session: (id, signal) => json(`sessions/${encodeURIComponent(id)}`, signal),
    lastGoodSession: (id, signal) => json(`sessions/${encodeURIComponent(id)}/last-good`, signal),
    spans: async (id, page, signal) => {
      const parameters = query({ ...page, format: 'columns' });
      const answer = await read(`sessions/${encodeURIComponent(id)}/spans${parameters}`, signal);
      return {
        next_cursor: answer.headers.get('inspector-next-cursor') ?? undefined,
        read: async () => skeletonOf((await answer.json()) as SpanColumns),
      };
    },
    spansAfter: async (id, page, signal) => {
      const parameters = query({ ...page, format: 'pages' });
      return pagesOf(await read(`sessions/${encodeURIComponent(id)}/spans${parameters}`, signal));
    },
    statistics: (id, { totals, at_ns }, signal) => {
      const parameters = query({ totals: String(totals), at_ns });
      return json(`sessions/${encodeURIComponent(id)}/statistics${parameters}`, signal);
    },
    contexts: (id, signal) => json(`sessions/${encodeURIComponent(id)}/context`, signal),
    compare: ({ change = [], ...parameters }, signal) =>
      json(`compare${query({ ...parameters })}${listed('change', change)}`, signal),
    compareRows: ({ change = [], ...parameters }, signal) =>
      json(`compare/rows${query({ ...parameters })}${listed('change', change)}`, signal),
    compareRuns: (sessions, page, signal) =>
      json(`compare/runs${query({ ...page })}${listed('session', sessions)}`, signal),
    search: (page, signal) => json(`search${query({ ...page })}`, signal),
    transcript: (id, spans, signal) =>
      json(
        `sessions/${encodeURIComponent(id)}/transcript?${new URLSearchParams(
          spans.map((span) => ['span', span]),
        )}`,
        signal,
      ),
    lastCalls: (id, before, signal) =>
      json(`sessions/${encodeURIComponent(id)}/transcript/last${query({ before })}`, signal),
    mcpLog: (id, page, signal) =>
      json(`sessions/${encodeURIComponent(id)}/mcp${query({ ...page })}`, signal),
    mcpFrame: (id, key, signal) =>
      json(`sessions/${encodeURIComponent(id)}/mcp/frame${query({ key })}`, signal),
    spanText: async (span, signal, maxValueBytes) =>
      (await read(ofSpan(span, '', { max_value_bytes: maxValueBytes }), signal)).text(),
    spanValue: async (span, pointer, { signal, onProgress }) =>
      textOf(await read(ofSpan(span, '/value', { pointer }), signal), onProgress),
    spanState: (span, parameters, signal) => json(ofSpan(span, '/state', parameters), signal),
    requests: (page, signal) => json(`requests${query({ ...page })}`, signal),
    request: (id, signal) => json(`requests/${encodeURIComponent(id)}`, signal),
    answer: (id, answer) => post(`requests/${encodeURIComponent(id)}`, answer),
    command: (sessionId, verb) => post(`sessions/${encodeURIComponent(sessionId)}/${verb}`, {}),
    listeners: (id, signal) => json(`sessions/${encodeURIComponent(id)}/control`, signal),
    audit: (page, signal) => json(`audit${query({ ...page })}`, signal),
    exportUrl: (id) => new URL(`trace/${encodeURIComponent(id)}`, serviceUrl).href,
    savedPage: async (id) => (await read(`sessions/${encodeURIComponent(id)}/export.html`)).blob(),
    auditExportUrl: () => new URL('audit/export', serviceUrl).href,
    eventsUrl: (after, { sessions, part }) => {
      const wanted = query({
        after,
        session_id: sessions.join(',') || NO_SESSION,
        q: part?.query,
      });
      return new URL(`events${wanted}${listed('rows', part?.rows ?? [])}`, serviceUrl).href;
    },
  };
}

/** A parameter that is there once for each value, after others. */
function listed(name: string, values: readonly string[]): string {
  return values.map((value) => `&${name}=${encodeURIComponent(value)}`).join('');
}

type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

function ofSpan({ session_id, trace_id, span_id }: SpanId, part: string, also: Parameters): string {
  return `spans/${trace_id}/${span_id}${part}${query({ ...also, session_id })}`;
}

function query(values: Parameters): string {
  const entries = Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)]],
  );
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`;
}

/** The body, decoded in chunks as it arrives: all at once would block a frame. */
async function textOf(response: Response, onProgress: (done: number) => void): Promise<string> {
  if (response.body === null) return response.text();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let done_bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    done_bytes += value.byteLength;
    pieces.push(decoder.decode(value, { stream: true }));
    onProgress(done_bytes);
  }
  pieces.push(decoder.decode());
  return pieces.join('');
}

async function refusal(response: Response): Promise<ApiError> {
  const problem: Partial<Problem> = await response.json().catch(() => ({}));
  const message = problem.detail ?? problem.title ?? API_TEXT.responded(response.status);
  return new ApiError(
    response.status,
    message,
    problem.code === undefined ? undefined : (problem as Problem),
  );
}

interface Uploaded {
  readonly status: number;
  readonly text: string;
}

/** `onProgress`: the fraction that is sent, 1 at the end. Rejects if there is no response. */
export function upload(
  url: URL,
  headers: Readonly<Record<string, string>>,
  file: Blob,
  onProgress: (sent: number) => void,
  signal: AbortSignal,
): Promise<Uploaded> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => {
      if (total > 0) onProgress(Math.min(loaded / total, 0.999));
    };
    request.upload.onload = () => onProgress(1);
    request.onload = () => resolve({ status: request.status, text: request.responseText });
    request.onerror = () => reject(new TypeError(API_TEXT.noResponse));
    request.onabort = () => reject(new DOMException(API_TEXT.stopped, 'AbortError'));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}

async function* pagesOf(answer: Response): AsyncGenerator<SpanSkeleton> {
  for await (const line of linesOf(answer)) yield skeletonOf(JSON.parse(line) as SpanColumns);
}

const LINE_END = 10;

/** The lines of a body as they arrive; each ends with a line break. */
async function* linesOf({ body }: Response): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let begun = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    let from = 0;
    for (let end = value.indexOf(LINE_END); end >= 0; end = value.indexOf(LINE_END, from)) {
      yield begun + decoder.decode(value.subarray(from, end));
      begun = '';
      from = end + 1;
    }
    begun += decoder.decode(value.subarray(from), { stream: true });
  }
}

/** The page with columns turned into rows: the n-th entries of all columns are the n-th row. */
export function skeletonOf({ columns: of, ...page }: SpanColumns): SpanSkeleton {
  let trace_id: string | undefined;
  // Written out: objects of one shape are made six times as fast as field by field.
  const spans = of.span_id.map((span_id, at) => {
    // One text for all rows of a trace: each has one of its own as it is read.
    if (of.trace_id[at] !== trace_id) trace_id = of.trace_id[at];
    const row = {
      trace_id,
      span_id,
      parent_span_id: of.parent_span_id[at],
      name: of.name[at],
      kind: of.kind[at],
      status: of.status[at],
      offset_ns: of.offset_ns[at],
      duration_ns: of.duration_ns[at],
      wait_ns: of.wait_ns[at],
      waits: of.waits[at],
      waited: of.waited[at],
      model: of.model[at],
      input_tokens: of.input_tokens[at],
      output_tokens: of.output_tokens[at],
      cost_usd: of.cost_usd[at],
      size_bytes: of.size_bytes[at],
      duplicate_of: of.duplicate_of[at],
      subject: of.subject[at],
      stall_start_ns: of.stall_start_ns[at],
      stall_ns: of.stall_ns[at],
      service: of.service[at],
      change: of.change[at],
    } satisfies Record<keyof SpanRow, unknown>;
    return row as SpanRow;
  });
  return { ...page, spans };
}
