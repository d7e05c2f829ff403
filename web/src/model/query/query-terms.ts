/** Terms of a query that can be switched on and off: `kind:tool,llm` among others. */
import { QUERY_FIELDS, type QueryField } from './query-fields.gen.ts';

/** Values of `field:a,b` in the query, in their order; quoted text is no term. */
export function termValues(query: string, field: string): readonly string[] {
  return termOf(query, field)?.values ?? [];
}

/** The query with one value of a field added or removed. */
export function toggleTerm(query: string, field: string, value: string): string {
  const term = termOf(query, field);
  if (term === undefined) return `${query.trim()} ${field}:${value}`.trim();
  const values = term.values.includes(value)
    ? term.values.filter((other) => other !== value)
    : [...term.values, value];
  const written = values.length === 0 ? '' : `${field}:${values.join(',')}`;
  const [before, after] = [query.slice(0, term.from), query.slice(term.to)];
  return written === ''
    ? `${before.trimEnd()} ${after.trimStart()}`.trim()
    : before + written + after;
}

interface Term {
  readonly from: number;
  readonly to: number;
  readonly values: readonly string[];
}

/**
 * The term of a field, only if it stands alone: in parentheses or negated it means something else.
 */
function termOf(query: string, field: string): Term | undefined {
  let depth = 0;
  for (const { 0: word, index } of query.matchAll(/"(?:\\.|[^"\\])*"?|[()]|[^\s()"]+/g)) {
    if (word === '(') depth += 1;
    else if (word === ')') depth -= 1;
    else if (depth === 0 && word.startsWith(`${field}:`)) {
      const values = word.slice(field.length + 1).split(',');
      if (values.every((value) => /^[a-z_]+$/.test(value))) {
        return { from: index, to: index + word.length, values };
      }
    }
  }
  return undefined;
}

/**
 * The query with the service's suggestion in place of the mistake; positions count characters, not
 * UTF-16.
 */
export function mended(problem: {
  readonly query: string;
  readonly position: number;
  readonly length: number;
  readonly suggestion: string | undefined;
}): string | undefined {
  if (problem.suggestion === undefined) return undefined;
  const characters = [...problem.query];
  characters.splice(problem.position, problem.length, problem.suggestion);
  return characters.join('');
}

const SESSION_FIELDS = new Set(fieldsOf('session'));
const SPAN_FIELDS = new Set(fieldsOf('span'));
const SESSION_STATUSES = new Set(
  QUERY_FIELDS.find(({ scope, name }) => scope === 'session' && name === 'status')?.choices,
);

function fieldsOf(scope: QueryField['scope']): readonly string[] {
  return QUERY_FIELDS.filter((field) => field.scope === scope).map(({ name }) => name);
}

/**
 * The query with its terms about spans as terms of one span: `span(tool:fetch status:error)` for
 * `tool:fetch status:error`, whose terms may each match another span of a session. Undefined where
 * fewer than two are about spans, or where the query has operators or parentheses.
 */
export function inOneSpan(query: string): string | undefined {
  const words: readonly string[] = query.match(/(?:"(?:\\.|[^"\\])*"?|[^\s"])+/g) ?? [];
  if (words.some((word) => /^(?:AND|OR|NOT|-.*)$|^[^"]*[()]/.test(word))) return undefined;
  const isAboutSpans = (word: string) => {
    const [, field = '', value = ''] = /^(@?[\w.]+)(?:[:=~<>]+)(.*)$/.exec(word) ?? [];
    if (field === 'status') return value.split(',').every((one) => !SESSION_STATUSES.has(one));
    return field.startsWith('@') || (SPAN_FIELDS.has(field) && !SESSION_FIELDS.has(field));
  };
  const ofSpans = words.filter(isAboutSpans);
  if (ofSpans.length < 2) return undefined;
  const others = words.filter((word) => !isAboutSpans(word));
  return [...others, `span(${ofSpans.join(' ')})`].join(' ');
}
