/** The service's HTTP routes that the page reads (`openapi.yaml`). */
import { skeletonOf } from './columns.ts';
import type {
  Answer,
  AnswerResult,
  AuditLog,
  Change,
  Comparison,
  Problem,
  Request,
  RequestList,
  RequestStatus,
  SearchResult,
  Session,
  SessionHistogram,
  SessionList,
  SessionStatistics,
  SpanSkeleton,
  Verb,
  VerbResult,
} from './types.ts';

/** An answer that is not 2xx; `status` 0 when there was none. */
export class ApiError extends Error {
  readonly status: number;
  /** The service's own words, when it sent any (RFC 9457). */
  readonly problem: Problem | undefined;
  constructor(status: number, message: string, problem?: Problem) {
    super(message);
    this.status = status;
    this.problem = problem;
  }
}

/** What the page needs of a service; the gallery has one made of fixtures. */
export interface Api {
  sessions(
    page: { q?: string; cursor?: string; limit?: number },
    signal?: AbortSignal,
  ): Promise<SessionList>;
  histogram(
    asked: { q?: string; bucket_ms: number; buckets: number },
    signal?: AbortSignal,
  ): Promise<SessionHistogram>;
  session(id: string, signal?: AbortSignal): Promise<Session>;
  spans(
    sessionId: string,
    page: { cursor?: string; limit?: number },
    signal?: AbortSignal,
  ): Promise<SpanSkeleton>;
  statistics(sessionId: string, signal?: AbortSignal): Promise<SessionStatistics>;
  /** The body as text: attributes may hold numbers that JavaScript cannot. */
  spanText(traceId: string, spanId: string, signal?: AbortSignal): Promise<string>;
  /** What differs between two sessions; `change`: of these kinds only. */
  compare(
    asked: {
      left: string;
      right: string;
      change?: readonly Change[];
      offset?: number;
      limit?: number;
    },
    signal?: AbortSignal,
  ): Promise<Comparison>;
  search(
    page: { q: string; cursor?: string; limit?: number },
    signal?: AbortSignal,
  ): Promise<SearchResult>;
  requests(
    page: { status?: RequestStatus; session_id?: string; cursor?: string; limit?: number },
    signal?: AbortSignal,
  ): Promise<RequestList>;
  request(id: string, signal?: AbortSignal): Promise<Request>;
  answer(id: string, answer: Answer): Promise<AnswerResult>;
  /** Pause, resume, step or cancel a session. */
  command(sessionId: string, verb: Verb): Promise<VerbResult>;
  audit(page: { cursor?: string; limit?: number }, signal?: AbortSignal): Promise<AuditLog>;
  /** Address of the whole audit log as JSON lines. */
  auditExportUrl(): string;
  /** Address of the change feed, from `after`, with span rows of these sessions only. */
  eventsUrl(after: string, sessionIds: readonly string[]): string;
}

/** No session has this id: asks the feed for session rows only. */
const NO_SESSION = '-';

/** `actor`: the name that the reader goes by, empty for none; it goes with what is done. */
export function httpApi(
  serviceUrl: string,
  request: typeof fetch,
  actor: () => string = () => '',
): Api {
  const ask = async (path: string, init: RequestInit): Promise<Response> => {
    const response = await request(new URL(path, serviceUrl), init).catch((error: unknown) => {
      if (error instanceof DOMException && error.name === 'AbortError') throw error;
      throw new ApiError(0, 'The service does not answer. Is `inspector serve` running?');
    });
    if (!response.ok) throw await refusal(response);
    return response;
  };
  const read = (path: string, signal?: AbortSignal): Promise<Response> =>
    ask(path, {
      headers: { accept: 'application/json' },
      ...(signal === undefined ? {} : { signal }),
    });
  const post = async <T>(path: string, body: unknown): Promise<T> => {
    const name = actor();
    const response = await ask(path, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(name === '' ? {} : { 'inspector-actor': encodeURIComponent(name) }),
      },
      body: JSON.stringify(body),
    });
    return (await response.json()) as T;
  };
  const json = async <T>(path: string, signal?: AbortSignal): Promise<T> =>
    (await (await read(path, signal)).json()) as T;

  return {
    sessions: (page, signal) => json(`sessions${query({ ...page })}`, signal),
    histogram: (asked, signal) => json(`sessions/histogram${query({ ...asked })}`, signal),
    session: (id, signal) => json(`sessions/${encodeURIComponent(id)}`, signal),
    spans: async (id, page, signal) => {
      const asked = query({ ...page, format: 'columns' });
      return skeletonOf(await json(`sessions/${encodeURIComponent(id)}/spans${asked}`, signal));
    },
    statistics: (id, signal) => json(`sessions/${encodeURIComponent(id)}/statistics`, signal),
    spanText: async (traceId, spanId, signal) =>
      (await read(`spans/${traceId}/${spanId}`, signal)).text(),
    compare: ({ change = [], ...asked }, signal) => {
      const kinds = change.map((one) => `&change=${one}`).join('');
      return json(`compare${query({ ...asked })}${kinds}`, signal);
    },
    search: (page, signal) => json(`search${query({ ...page })}`, signal),
    requests: (page, signal) => json(`requests${query({ ...page })}`, signal),
    request: (id, signal) => json(`requests/${encodeURIComponent(id)}`, signal),
    answer: (id, answer) => post(`requests/${encodeURIComponent(id)}`, answer),
    command: (sessionId, verb) => post(`sessions/${encodeURIComponent(sessionId)}/${verb}`, {}),
    audit: (page, signal) => json(`audit${query({ ...page })}`, signal),
    auditExportUrl: () => new URL('audit/export', serviceUrl).href,
    eventsUrl: (after, sessionIds) =>
      new URL(
        `events${query({ after, session_id: sessionIds.join(',') || NO_SESSION })}`,
        serviceUrl,
      ).href,
  };
}

function query(values: Readonly<Record<string, string | number | undefined>>): string {
  const entries = Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)]],
  );
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`;
}

async function refusal(response: Response): Promise<ApiError> {
  const problem: Partial<Problem> = await response.json().catch(() => ({}));
  const message = problem.detail ?? problem.title ?? `The service answered ${response.status}.`;
  return new ApiError(
    response.status,
    message,
    problem.code === undefined ? undefined : (problem as Problem),
  );
}
