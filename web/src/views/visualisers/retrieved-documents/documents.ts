/**
 * Documents of a retrieval, read from the attributes of its span. Pure.
 *
 * Conventions: OpenInference writes `retrieval.documents.0.document.content`, `.score`, `.id`, and
 * for rerankers `reranker.output_documents.…`; GenAI writes `gen_ai.retrieval.documents` as JSON.
 */
import type { SpanDetail } from '../../../api/types.ts';

interface RetrievedDocument {
  readonly id: string | undefined;
  readonly content: string | undefined;
  readonly score: number | undefined;
}

/** Limit of documents. */
const MOST = 500;
const FLAT = /^(?:retrieval\.documents|reranker\.output_documents)\.(\d{1,6})\.document\.(\w+)$/;
const JSON_KEY = 'gen_ai.retrieval.documents';

/** Whether a span has documents; quick, because it looks at keys only. */
export function hasDocuments({ attributes }: SpanDetail): boolean {
  return Object.keys(attributes).some((key) => key === JSON_KEY || FLAT.test(key));
}

/** Documents in the sender's order, which is that of their ranks. */
export function documentsOf({ attributes }: SpanDetail): RetrievedDocument[] {
  const flat = new Map<number, Map<string, unknown>>();
  for (const [key, value] of Object.entries(attributes)) {
    const match = FLAT.exec(key);
    if (match?.[1] === undefined || match[2] === undefined) continue;
    const at = Number(match[1]);
    const fields = flat.get(at) ?? new Map<string, unknown>();
    flat.set(at, fields.set(match[2], value));
  }
  const found =
    flat.size > 0
      ? [...flat].sort(([a], [b]) => a - b).map(([, fields]) => fields)
      : listed(attributes[JSON_KEY]);
  return found.slice(0, MOST).map((fields) => ({
    id: text(fields.get('id')),
    content: text(fields.get('content') ?? fields.get('text')),
    score: number(fields.get('score')),
  }));
}

function listed(value: unknown): Map<string, unknown>[] {
  const list = typeof value === 'string' ? parsed(value) : value;
  if (!Array.isArray(list)) return [];
  return list
    .filter((one): one is object => typeof one === 'object' && one !== null)
    .map((one) => new Map(Object.entries(one)));
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function text(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A number, which some senders write as text. */
function number(value: unknown): number | undefined {
  if (typeof value !== 'number' && (typeof value !== 'string' || value.trim() === '')) {
    return undefined;
  }
  const found = Number(value);
  return Number.isFinite(found) ? found : undefined;
}
