/**
 * Service of the gallery: the real client, with answers recorded from a real service (`make gen`
 * writes them to `fixtures/`) and made-up ones for the rest.
 */
import { type Api, httpApi } from '../src/api/client.ts';
import type { Problem } from '../src/api/types.ts';
import { invented } from './fixtures.ts';

const HERE = 'http://gallery.invalid/';

/** Answers the requests that it knows; undefined passes a request on. */
export type Answers = (
  path: string,
  query: URLSearchParams,
) => Promise<Response> | Response | undefined;

const files = import.meta.glob<Readonly<Record<string, string>>>('./fixtures/*.json', {
  eager: true,
  import: 'default',
});
/** Path of a route with the parameters that matter → the recorded answer, as exact text. */
const recorded = new Map(
  Object.values(files).flatMap((file) =>
    Object.entries(file).map(([key, text]) => {
      const refused = /^(\d{3}) (.*)$/.exec(key);
      const status = Number(refused?.[1] ?? 200);
      return [refused?.[2] ?? key, { status, text }] as const;
    }),
  ),
);
/** Query parameters that change the answer. */
const DISTINGUISHING = new Set([
  'q',
  'left',
  'right',
  'session',
  'cursor',
  'key',
  'name',
  'position',
]);

function answerTo(path: string, query: URLSearchParams): Response | undefined {
  const distinguishing = [...query].filter(([name]) => DISTINGUISHING.has(name));
  const key =
    distinguishing.length === 0
      ? path
      : `${path}?${distinguishing.map((one) => one.join('=')).join('&')}`;
  const known = recorded.get(key);
  return known && new Response(known.text, { ...JSON_HEADERS, status: known.status });
}

const JSON_HEADERS = { headers: { 'content-type': 'application/json' } };

export function ok(body: string): Response {
  return new Response(body, JSON_HEADERS);
}

/** A refusal as the service sends it (RFC 9457). */
export function problem(status: number, title: string, detail: string): Response {
  const body: Problem = {
    type: 'about:blank',
    code: 'gallery',
    status,
    title,
    detail,
    length: null,
    position: null,
    suggestion: null,
    session_id: null,
  };
  return new Response(JSON.stringify(body), { status });
}

/** What is wrong with a history, as the service says it. */
export const AWAY =
  'Cannot reach the history clickhouse://inspector@clickhouse.example:8123/inspector: [Errno 111] Connection refused. Is ClickHouse running there?';

/** A service that never answers. */
export const silence: Answers = () => new Promise(() => {});

/** A service that refuses every request. */
export const failure: Answers = () =>
  problem(500, 'Internal error', 'The service failed; its log says more.');

/** A client whose requests go to `answers` first. */
export function galleryApi(answers: Answers = () => undefined): Api {
  return httpApi(HERE, async (input, init) => {
    const { pathname, searchParams } = new URL(String(input));
    const answer = answers(pathname, searchParams);
    if (answer !== undefined) return answer;
    if ((init?.method ?? 'GET') !== 'GET') {
      return problem(503, 'Nobody listens', 'Nobody listens in the gallery.');
    }
    const text =
      invented(pathname, searchParams) ??
      (pathname.endsWith('/transcript')
        ? transcript(pathname, searchParams.getAll('span'))
        : undefined);
    if (text !== undefined) return ok(text);
    return (
      answerTo(pathname, searchParams) ??
      problem(404, 'Not found', `The gallery knows no ${pathname}.`)
    );
  });
}

/** The transcript of any spans of a recorded session, put together from one recording per span. */
function transcript(path: string, spans: readonly string[]): string | undefined {
  const answers = spans.map((one) => {
    const [alone] = one.split('~');
    return recorded.get(`${path}?span=${one}`) ?? recorded.get(`${path}?span=${alone}`);
  });
  if (answers.every((answer) => answer === undefined)) return undefined;
  const parsed = answers.flatMap((answer) => answer?.text ?? []).map((text) => JSON.parse(text));
  return JSON.stringify({ ...parsed[0], readings: parsed.flatMap((answer) => answer.readings) });
}

/** The recorded answer of a route, parsed; for components that take data and request none. */
export function recordedJson<T>(key: string): T {
  return JSON.parse(recordedText(key)) as T;
}

/** The recorded answer of a route, as exact text. */
export function recordedText(key: string): string {
  const known = recorded.get(key);
  if (known === undefined) throw new Error(`No fixture has ${key}: run make gen.`);
  return known.text;
}
